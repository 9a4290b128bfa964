import { loadConfig } from "../../state/config/load.ts";
import { type ConfiguredStore, retentionPolicy, storeOptions } from "../../state/config/store-options.ts";
import type { RetentionPolicy } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { configOptions } from "../input/config-options.ts";

/** The options of the config for a store. */
export async function storeSettings(call: Call, target: string): Promise<ConfiguredStore> {
  const { value } = await loadConfig(configOptions(call));
  return storeOptions(value, target);
}

/** The configured limits; `undefined` when there are none. */
export async function retentionSettings(call: Call): Promise<RetentionPolicy | undefined> {
  const { value } = await loadConfig(configOptions(call));
  return retentionPolicy(value);
}
