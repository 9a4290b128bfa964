export { type ClaudeMessage, fromClaude, toClaude } from "./claude.ts";
export { type FlatMessage, fromFlat, toFlat } from "./flat.ts";
export type { ConvertOptions } from "./foreign.ts";
export { fromOpenAI, type OpenAIMessage, toOpenAI } from "./openai.ts";
export { messageSchema } from "./schema.ts";
export { type TextOptions, textOf } from "./text.ts";
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
  StoredEntry,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
  UnknownEntry,
} from "./types.ts";
