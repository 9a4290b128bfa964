export type {
  AiSdkFilePart,
  AiSdkImagePart,
  AiSdkMessage,
  AiSdkReasoningPart,
  AiSdkRequest,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from "./apis/ai-sdk.ts";
export {
  type AnthropicBlock,
  type AnthropicDocumentBlock,
  type AnthropicImageBlock,
  type AnthropicMessage,
  type AnthropicRequest,
  type AnthropicTextBlock,
  type ClaudeMessage,
  fromClaude,
  toClaude,
} from "./apis/anthropic.ts";
export { type FlatMessage, fromFlat, toFlat } from "./apis/flat.ts";
export type { ConvertOptions } from "./apis/foreign.ts";
export { type ApiRequests, type ModelApi, toRequest } from "./apis/index.ts";
export {
  fromOpenAI,
  type OpenAIChatMessage,
  type OpenAIFilePart,
  type OpenAIImagePart,
  type OpenAIMessage,
  type OpenAIRequest,
  type OpenAITextPart,
  type OpenAIToolCall,
  toOpenAI,
} from "./apis/openai.ts";
export type { ResponsesItem, ResponsesPart, ResponsesRequest } from "./apis/openai-responses.ts";
export type { SystemPrompt } from "./apis/request.ts";
export { isKnownBlock } from "./blocks.ts";
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
