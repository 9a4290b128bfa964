/** `colloquy/config`: the state folder, and the config in it. */
export { type Adopted, findAdoptable } from "../adopt.ts";
export {
  type AgentLayout,
  type Environment,
  resolveStateDir,
  type StateDirOptions,
  type StateLayout,
  stateLayout,
} from "../folder.ts";
export type { Path } from "../json5/nodes.ts";
export type { ConfigOptions, LoadedConfig, Origin, Override } from "./config-build.ts";
export { formatPath, parsePath } from "./config-path.ts";
export { type ChangeOptions, type ConfigChange, setConfig, unsetConfig } from "./files/change.ts";
export { type Finding, findingText } from "./finding.ts";
export { loadConfig } from "./load.ts";
export { PIPELINE } from "./pipeline.ts";
export { configSchema } from "./schema/json-schema.ts";
export { type ConfigWatch, type WatchOptions, watchConfig } from "./watch.ts";
