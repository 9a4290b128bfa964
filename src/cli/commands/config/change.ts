import { asColloquyError, withoutTokens } from "../../../errors.ts";
import type { ChangeOptions, ConfigChange } from "../../../state/config/files/change.ts";
import { loadConfig } from "../../../state/config/load.ts";
import { objectIn } from "../../../util/values.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { packageVersion } from "../../version.ts";
import { reportFindings, reportText } from "./view.ts";

export function changeOptions(call: Call): ChangeOptions {
  return { ...configOptions(call), version: packageVersion() };
}

/** Report the change, but not the value: it may be a secret. */
export async function changed(
  call: Call,
  { path, file, backup, notices }: ConfigChange,
  did: string,
): Promise<Result> {
  reportFindings(call, notices);
  if (/^gateway\b/.test(path)) await reportRefusal(call);
  const shown = withoutTokens(path);
  return { json: { path: shown, file, backup }, lines: [`${did} ${safeLine(shown)} in ${safeLine(file)}`] };
}

/** A setting alone can be right and the section still refused, as a password mode without a password is. */
async function reportRefusal(call: Call): Promise<void> {
  // Imported here, or every command would load the code of the gateway.
  const { authSettings } = await import("../../../gateway/auth/settings.ts");
  const { listenSettings } = await import("../../../gateway/listen-settings.ts");
  try {
    const { value } = await loadConfig(configOptions(call));
    const section = objectIn(value.gateway) ?? {};
    authSettings(section);
    listenSettings(section);
  } catch (error) {
    const { message } = asColloquyError(error, "The gateway refuses this config");
    reportText(call, `The gateway refuses this config until it is complete: ${message}`, "gateway");
  }
}
