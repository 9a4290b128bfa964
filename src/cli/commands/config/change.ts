import { withoutTokens } from "../../../errors.ts";
import type { ChangeOptions, ConfigChange } from "../../../state/config/files/change.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { configOptions } from "../../input/config-options.ts";
import { packageVersion } from "../../version.ts";
import { reportFindings } from "./view.ts";

export function changeOptions(call: Call): ChangeOptions {
  return { ...configOptions(call), version: packageVersion() };
}

/** Report the change, but not the value: it may be a secret. */
export function changed(call: Call, { path, file, backup, notices }: ConfigChange, did: string): Result {
  reportFindings(call, notices);
  const shown = withoutTokens(path);
  return { json: { path: shown, file, backup }, lines: [`${did} ${safeLine(shown)} in ${safeLine(file)}`] };
}
