/** What Claude Code reports, in our words. Users see none of its types, so that they need not have its SDK. */
import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { ColloquyError } from "../../../errors.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { SessionAnswer, SessionEvent } from "./session.ts";

/** Sub-agents report too; only the session itself is shown. */
export function eventsOf(message: SDKMessage): SessionEvent[] {
  if (message.type === "stream_event" && message.parent_tool_use_id === null) {
    const { event } = message;
    if (event.type !== "content_block_delta") return [];
    if (event.delta.type === "text_delta") return [{ type: "text", text: event.delta.text }];
    return event.delta.type === "thinking_delta" ? [{ type: "thinking", text: event.delta.thinking }] : [];
  }
  if (message.type !== "assistant" || message.parent_tool_use_id !== null) return [];
  return message.message.content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool", id: block.id, name: block.name } as const] : [],
  );
}

/** The answer, or the error that it is. */
export function answerOf(message: Extract<SDKMessage, { type: "result" }>): SessionAnswer {
  if (message.subtype !== "success" || message.is_error) {
    const reason = message.subtype === "success" ? message.result : (message.errors[0] ?? message.subtype);
    throw failed(reason);
  }
  const { usage, result } = message;
  return {
    reply: result,
    usage: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_input_tokens,
      cacheWriteTokens: usage.cache_creation_input_tokens,
    },
  };
}

const REASON_CHARS_MAX = 300;

export function failed(reason: string): ColloquyError {
  const message = `Claude Code did not answer: ${safeLine(reason).slice(0, REASON_CHARS_MAX)}`;
  return new ColloquyError("SERVICE_UNAVAILABLE", message);
}
