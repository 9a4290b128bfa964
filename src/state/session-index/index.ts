/** `colloquy/session-index`: which conversation a session key leads to, as a file that other programs read. */
export type {
  DeliveryContext,
  SessionChatType,
  SessionEntry,
  SessionOrigin,
  SessionStore,
} from "./entry.ts";
export { type IndexOptions, type LoadOptions, loadSessionStore } from "./load.ts";
export {
  deleteSessionEntry,
  type EntryOptions,
  type PatchOptions,
  patchSessionEntry,
  type SessionPatch,
} from "./patch.ts";
export { type SaveOptions, saveSessionStore } from "./save.ts";
export { type SyncOptions, type SyncReport, syncSessionIndex } from "./sync.ts";
