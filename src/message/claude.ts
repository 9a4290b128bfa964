import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import {
  type ConvertOptions,
  defined,
  type Format,
  fromForeign,
  isContent,
  OURS,
  placeholder,
  plainList,
  toForeign,
} from "./foreign.ts";
import type { Block, Message, MessageInput, Role } from "./types.ts";

/** A message of a Claude request, `{ role, content }`, or a whole API response. */
export interface ClaudeMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly JsonObject[];
  readonly [member: string]: Json | undefined;
}

/** Claude messages, from requests or responses, as ours. */
export function fromClaude(messages: readonly object[]): MessageInput[] {
  return fromForeign(CLAUDE, messages);
}

/**
 * Our messages as Claude takes them.
 *
 * By default what the API accepts: `role` and `content`, without the blocks
 * that it refuses. A `system` message becomes a `user` message, because its
 * words would be lost otherwise; lift it out before where you use `system`.
 * With `lossless`, responses come back whole: `id`, `usage` and the rest.
 */
export function toClaude(messages: readonly Message[], options: ConvertOptions = {}): ClaudeMessage[] {
  if (options.lossless) return toForeign(CLAUDE, messages, true) as ClaudeMessage[];
  return plainList(messages, OURS).map((message) => request(message as unknown as Message));
}

const CLAUDE: Format = {
  name: "claude",
  roles: new Set(["user", "assistant"]),
  accepts: isContent,
  read([foreign = {}]) {
    const { role, content, model, stop_reason: stopReason, usage } = foreign;
    return {
      role: role as Role,
      content: content as string | Block[],
      ...(typeof model === "string" && { model }),
      ...(typeof stopReason === "string" && { stopReason }),
      ...(isPlainObject(usage) && { usage: usage as JsonObject }),
    };
  },
  write({ role, content, model, stopReason, usage }) {
    const response = { model, stop_reason: stopReason, usage };
    return [{ role: claudeRole(role), content, ...defined(response) }];
  },
  joins: () => false,
};

function claudeRole(role: Role): "user" | "assistant" {
  return role === "assistant" ? "assistant" : "user";
}

function request({ role, content }: Message): ClaudeMessage {
  return { role: claudeRole(role), content: typeof content === "string" ? content : accepted(content) };
}

function accepted(blocks: readonly JsonObject[]): JsonObject[] {
  const kept = blocks.flatMap(acceptedBlock);
  // The API refuses a message without content, and leaving the message out could part a call from its result.
  return kept.length === 0 && blocks.length > 0 ? [{ type: "text", text: placeholder(blocks) }] : kept;
}

function acceptedBlock(block: JsonObject): JsonObject[] {
  const { openai: _openai, flat: _flat, ...own } = block;
  switch (block.type) {
    case "text":
      return typeof own.text === "string" && own.text.trim() !== "" ? [own] : [];
    case "thinking":
      // Thinking of another model has no signature, and Claude refuses it without one.
      return own.signature ? [own] : [];
    case "refusal":
      return typeof own.refusal === "string" ? [{ type: "text", text: own.refusal }] : [];
    case "tool_use":
      return [{ ...own, id: acceptedId(own.id) }];
    case "tool_result":
      return [{ ...own, tool_use_id: acceptedId(own.tool_use_id), ...acceptedResult(own.content) }];
    default:
      return FOREIGN_BLOCKS.has(block.type) || _openai !== undefined ? acceptedMedia(own) : [own];
  }
}

/** Pictures and documents that came from OpenAI are Claude's as well; its other parts are not. */
function acceptedMedia(block: JsonObject): JsonObject[] {
  return block.type === "image" || block.type === "document" ? [block] : [];
}

function acceptedResult(content: Json | undefined): JsonObject {
  return Array.isArray(content) ? { content: accepted(content) } : {};
}

/** Other providers put dots and colons into the ids of calls; Claude refuses them. */
function acceptedId(id: Json | undefined): string {
  return String(id).replace(/[^a-zA-Z0-9_-]/g, "_");
}

const FOREIGN_BLOCKS: ReadonlySet<unknown> = new Set([
  ...["input_audio", "file", "image_url", "audio", "openai_part", "openai_tool_call"],
  ...["flat_tool_call", "flat_tool_result"],
]);
