/** Converts messages to those of pi, where a tool result is a separate message. */
import { mediaText } from "../../../message/apis/request.ts";
import type { Message } from "../../../message/types.ts";
import { isJsonObject, isPlainObject, type Json, type JsonObject, stringOf } from "../../../util/json.ts";

export class PiMessages {
  /** Names of calls by their ids: a result says both there. */
  readonly #names = new Map<string, string>();

  /** One or more entries without their place. */
  records(message: Message, timestamp: number, model: string | null): JsonObject[] {
    const blocks = blocksOf(message);
    if (message.role === "system") {
      return [
        { type: "custom_message", customType: "system", content: blocks.map(userBlock), display: true },
      ];
    }
    if (message.role === "assistant") return [record(this.#answer(message, blocks, timestamp, model))];
    const results = blocks
      .filter(({ type }) => type === "tool_result")
      .map((block) => this.#result(block, timestamp));
    const said = blocks.filter(({ type }) => type !== "tool_result").map(userBlock);
    const user = {
      role: "user",
      content: typeof message.content === "string" ? message.content : said,
      timestamp,
    };
    return [...results, ...(results.length > 0 && said.length === 0 ? [] : [user])].map(record);
  }

  #answer(
    message: Message,
    blocks: readonly JsonObject[],
    timestamp: number,
    model: string | null,
  ): JsonObject {
    for (const { type, id, name } of blocks) {
      if (type === "tool_use") this.#names.set(stringOf(id), stringOf(name));
    }
    const used = message.model ?? model ?? "unknown";
    return {
      role: "assistant",
      content: blocks.map(answerBlock),
      ...makerOf(used),
      model: used,
      usage: usageOf(message.usage ?? {}),
      stopReason: stopReasonOf(message, blocks),
      timestamp,
    };
  }

  #result({ tool_use_id: id, content, is_error }: JsonObject, timestamp: number): JsonObject {
    const blocks = Array.isArray(content)
      ? content.filter(isJsonObject)
      : [{ type: "text", text: content ?? "" }];
    return {
      role: "toolResult",
      toolCallId: stringOf(id),
      toolName: this.#names.get(stringOf(id)) ?? "unknown",
      content: blocks.map(userBlock),
      isError: is_error === true,
      timestamp,
    };
  }
}

function record(message: JsonObject): JsonObject {
  return { type: "message", message };
}

function blocksOf({ content }: Message): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content as readonly JsonObject[]);
}

function userBlock(block: JsonObject): JsonObject {
  const { type, text, source } = block;
  if (type === "text") return { type: "text", text: text ?? "" };
  if (type === "image" && isPlainObject(source) && source.type === "base64") {
    return { type: "image", data: source.data as Json, mimeType: source.media_type as Json };
  }
  return { type: "text", text: type === "document" ? documentText(block) : `[${stringOf(type)}]` };
}

/** pi has no documents: the text of one, below its name, is part of the message. */
function documentText(block: JsonObject): string {
  const { title } = block;
  const name = typeof title === "string" ? `[document: ${title}]` : "[document]";
  const text = mediaText(block);
  return text === undefined ? name : `${name}\n${text}`;
}

function answerBlock(block: JsonObject): JsonObject {
  switch (block.type) {
    case "thinking":
      return {
        type: "thinking",
        thinking: block.thinking ?? "",
        ...(typeof block.signature === "string" ? { thinkingSignature: block.signature } : {}),
      };
    case "redacted_thinking":
      return { type: "thinking", thinking: "", thinkingSignature: block.data ?? "", redacted: true };
    case "tool_use":
      return { type: "toolCall", id: block.id ?? "", name: block.name ?? "", arguments: block.input ?? {} };
    default:
      return userBlock(block);
  }
}

function makerOf(model: string): JsonObject {
  if (/claude/i.test(model)) return { api: "anthropic-messages", provider: "anthropic" };
  if (/^(?:gpt|o\d|chatgpt)/i.test(model)) return { api: "openai-responses", provider: "openai" };
  if (/gemini/i.test(model)) return { api: "google-generative-ai", provider: "google" };
  return { api: "openai-completions", provider: "unknown" };
}

function usageOf(usage: JsonObject): JsonObject {
  const count = (...names: readonly string[]): number => {
    const found = names.map((name) => usage[name]).find((value) => typeof value === "number");
    return typeof found === "number" ? found : 0;
  };
  const input = count("input_tokens", "prompt_tokens");
  const output = count("output_tokens", "completion_tokens");
  const cacheRead = count("cache_read_input_tokens");
  const cacheWrite = count("cache_creation_input_tokens");
  const total = count("cost");
  return {
    ...{ input, output, cacheRead, cacheWrite, totalTokens: input + output + cacheRead + cacheWrite },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total },
  };
}

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ["end_turn", "stop"],
  ["stop", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["length", "length"],
  ["tool_use", "toolUse"],
  ["tool_calls", "toolUse"],
  ["error", "error"],
  ["aborted", "aborted"],
]);

function stopReasonOf({ stopReason, endState }: Message, blocks: readonly JsonObject[]): string {
  if (endState === "stopped" || endState === "interrupted") return "aborted";
  const calls = blocks.some(({ type }) => type === "tool_use");
  return STOP_REASONS.get(stopReason ?? "") ?? (calls ? "toolUse" : "stop");
}
