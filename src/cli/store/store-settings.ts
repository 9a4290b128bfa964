import { asColloquyError, ColloquyError } from "../../errors.ts";
import { rememberSecrets } from "../../secrets/known-secrets.ts";
import { secretsOf } from "../../state/config/hide-secrets.ts";
import { loadConfig } from "../../state/config/load.ts";
import { type ConfiguredStore, retentionPolicy, storeOptions } from "../../state/config/store-options.ts";
import type { RetentionPolicy } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { isWrongValue } from "../commands/config/view.ts";
import { configOptions } from "../input/config-options.ts";
import { loadedConfig } from "../input/loaded-config.ts";
import { report } from "../output.ts";

/** About a bad config: `stop`, `read` with the defaults if it cannot be parsed, or `check` with them in any case. */
export type OnBadConfig = "stop" | "read" | "check";

const SECTIONS = ["session", "sessions"];

/** The options of the config for a store. */
export async function storeSettings(
  call: Call,
  target: string,
  onBad: OnBadConfig,
): Promise<ConfiguredStore> {
  try {
    const config = await loadedConfig(call, SECTIONS, configOptions(call));
    const options = storeOptions(config.value, target);
    // What is stored must not have them either.
    if (options.redact !== undefined) rememberSecrets(secretsOf(config));
    return options;
  } catch (error) {
    const known = asColloquyError(error, "Cannot read the config");
    if (onBad === "stop" || (onBad === "read" && isWrongValue(known))) throw known;
    report("warning", new ColloquyError(known.code, `${known.message}. The defaults apply`), call.json);
    return {};
  }
}

/** The configured limits; `undefined` when there are none. For a command that has opened the store. */
export async function retentionSettings(call: Call): Promise<RetentionPolicy | undefined> {
  // `storeSettings` has reported what there is to report.
  const config = await loadConfig({ ...configOptions(call), sections: SECTIONS });
  return retentionPolicy(config.value);
}
