/** `colloquy/agent`: a loop around a language model that stores every step. */
export {
  type ChatModel,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  type StopReason,
  THINKING_LEVELS,
  type ThinkingLevel,
  type ToolDescription,
} from "./model/chat-model.ts";
export type { Tool, ToolCall, ToolOutput } from "./tools/tool.ts";
