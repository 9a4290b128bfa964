export type { Ledger } from "./context/index.ts";
export { ColloquyError, type ErrorCode } from "./errors.ts";
export { type TextOptions, textOf } from "./message/text.ts";
export type {
  Block,
  BranchSummaryEntry,
  CompactionEntry,
  CustomEntry,
  EndState,
  Entry,
  EntryKind,
  InfoEntry,
  LabelEntry,
  Message,
  MessageEntry,
  MessageInput,
  RemovedEntry,
  Role,
  UnknownEntry,
} from "./message/types.ts";
export * from "./store/index.ts";
export type { Json, JsonObject } from "./util/json.ts";
