export type { Budget, Dropped, DropReason, Kept, Ledger, Repair, RepairKind } from "./context/index.ts";
export { ColloquyError, type ErrorCode } from "./errors.ts";
export type { ApiRequests, ModelApi } from "./message/apis/index.ts";
export type { PlainMessage } from "./message/apis/plain.ts";
export type { SystemPrompt } from "./message/apis/request.ts";
export { isKnownBlock } from "./message/blocks.ts";
export { type TextOptions, textOf } from "./message/text.ts";
export type {
  BlobRef,
  Block,
  BranchSummaryData,
  BranchSummaryEntry,
  CompactionData,
  CompactionEntry,
  CustomEntry,
  DocumentBlock,
  EndState,
  Entry,
  EntryKind,
  ImageBlock,
  InfoData,
  InfoEntry,
  KnownBlock,
  LabelData,
  LabelEntry,
  Message,
  MessageEntry,
  MessageInput,
  RedactedThinkingBlock,
  RemovedEntry,
  Role,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
  UnknownEntry,
} from "./message/types.ts";
export * from "./store/index.ts";
export type { Json, JsonObject } from "./util/json.ts";
export type { Clock } from "./util/time.ts";
