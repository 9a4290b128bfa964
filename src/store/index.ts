export type { ConversationInfo, Engine, Finding, VerifyReport } from "../engine/engine.ts";
export {
  type AppendOptions,
  Conversation,
  type ConversationPatch,
  type EntryQuery,
  type Page,
} from "./conversation.ts";
export { openStore, type StoreOptions } from "./open.ts";
export {
  type ConversationInit,
  type ConversationQuery,
  type CreateInit,
  Store,
  type StoreStats,
} from "./store.ts";
