export type { Ledger } from "./context/index.ts";
export { ColloquyError, type ErrorCode } from "./errors.ts";
export { type TextOptions, textOf } from "./message/text.ts";
export type { Block, EndState, Entry, EntryKind, Message, MessageInput, Role } from "./message/types.ts";
export * from "./store/index.ts";
export type { Json, JsonObject } from "./util/json.ts";
