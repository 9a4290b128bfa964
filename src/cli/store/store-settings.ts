import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { ConfigOptions, LoadedConfig } from "../../state/config/config-build.ts";
import { loadConfig } from "../../state/config/load.ts";
import { type ConfiguredStore, retentionPolicy, storeOptions } from "../../state/config/store-options.ts";
import type { RetentionPolicy } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { isWrongValue, reportFindings } from "../commands/config/view.ts";
import { configOptions } from "../input/config-options.ts";
import { report } from "../output.ts";

/** About a bad config: `stop`, `read` with the defaults if it cannot be parsed, or `check` with them in any case. */
export type OnBadConfig = "stop" | "read" | "check";

/** The options of the config for a store. */
export async function storeSettings(
  call: Call,
  target: string,
  onBad: OnBadConfig,
): Promise<ConfiguredStore> {
  const options = { ...configOptions(call), sections: ["session", "sessions"] };
  try {
    const config = await loadConfig(options);
    reportShell(call, config);
    return storeOptions(config.value, target);
  } catch (error) {
    const known = asColloquyError(error, "Cannot read the config");
    if (onBad === "stop" || (onBad === "read" && isWrongValue(known))) throw known;
    report("warning", new ColloquyError(known.code, `${known.message}. The defaults apply`), call.json);
    return {};
  }
}

/** The configured limits; `undefined` when there are none. */
export async function retentionSettings(call: Call): Promise<RetentionPolicy | undefined> {
  const options: ConfigOptions = { ...configOptions(call), sections: ["sessions"] };
  return retentionPolicy((await loadConfig(options)).value);
}

/** That a shell was asked explains a pause. */
function reportShell(call: Call, { warnings }: LoadedConfig): void {
  reportFindings(
    call,
    warnings.filter(({ code }) => code === "login-shell"),
  );
}
