export { type Adopted, configIn, findAdoptable } from "./adopt.ts";
export type { ConfigOptions, LoadedConfig, Origin, Override } from "./config/config-build.ts";
export { formatPath, parsePath } from "./config/config-path.ts";
export { type ChangeOptions, type ConfigChange, setConfig, unsetConfig } from "./config/files/change.ts";
export { type Finding, findingText, type Warning } from "./config/finding.ts";
export { loadConfig } from "./config/load.ts";
export { PIPELINE } from "./config/pipeline.ts";
export { configSchema } from "./config/schema/json-schema.ts";
export { type ConfigWatch, type WatchOptions, watchConfig } from "./config/watch.ts";
export * from "./credentials/index.ts";
export {
  type AgentLayout,
  type Environment,
  resolveStateDir,
  type StateDirOptions,
  type StateLayout,
  stateLayout,
} from "./folder.ts";
export type { Node, Path } from "./json5/nodes.ts";
export { parseJson5 } from "./json5/parse.ts";
export * from "./models/index.ts";
export { ensurePrivate, type PermissionNotice, repairPermissions } from "./permissions.ts";
export type {
  DeliveryContext,
  SessionChatType,
  SessionEntry,
  SessionOrigin,
  SessionStore,
} from "./session-index/entry.ts";
export { loadSessionStore } from "./session-index/load.ts";
export { deleteSessionEntry, patchSessionEntry, type SessionPatch } from "./session-index/patch.ts";
export { saveSessionStore } from "./session-index/save.ts";
export { type SyncReport, syncSessionIndex } from "./session-index/sync.ts";
