export { type ClaudeMessage, fromClaude, toClaude } from "./claude.ts";
export { type FlatMessage, fromFlat, toFlat } from "./flat.ts";
export type { ConvertOptions } from "./foreign.ts";
export { fromOpenAI, type OpenAIMessage, toOpenAI } from "./openai.ts";
export { messageSchema } from "./schema.ts";
export { type TextOptions, textOf } from "./text.ts";
export type {
  BlobRef,
  Block,
  DocumentBlock,
  EndState,
  Entry,
  EntryKind,
  ImageBlock,
  KnownBlock,
  Message,
  MessageInput,
  RedactedThinkingBlock,
  Role,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from "./types.ts";
