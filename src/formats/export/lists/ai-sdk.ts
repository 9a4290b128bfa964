/**
 * UI messages of the AI SDK: `{ id, role, parts, metadata }`.
 *
 * A call and its result are one part there, and all steps of an answer are one
 * message, with `step-start` between them.
 */
import { blocksOf } from "../../../message/blocks.ts";
import { isPlainObject, type Json, type JsonObject, stringOf } from "../../../util/json.ts";
import type { SentItem } from "./chat-messages.ts";

interface UiMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: JsonObject[];
  readonly metadata: JsonObject;
}

export function* uiMessages(items: readonly SentItem[]): Generator<UiMessage, void, undefined> {
  const calls = new Map<string, Record<string, Json | undefined>>();
  let answer: UiMessage | undefined;
  for (const item of items) {
    const blocks = blocksOf(item.message);
    for (const block of blocks) if (block.type === "tool_result") settle(calls, block);
    const parts = blocks.flatMap((block) => partsOf(block, calls));
    if (item.message.role === "assistant") {
      if (answer === undefined) answer = messageOf(item, parts);
      else answer.parts.push({ type: "step-start" }, ...parts);
      continue;
    }
    // Nothing but the results of calls: the answer goes on behind them.
    if (parts.length === 0 && blocks.length > 0) continue;
    if (answer !== undefined) yield answer;
    answer = undefined;
    yield messageOf(item, parts);
  }
  if (answer !== undefined) yield answer;
}

function messageOf({ id, message, at }: SentItem, parts: JsonObject[]): UiMessage {
  const { role, model, usage } = message;
  const metadata = {
    createdAt: at,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  };
  return { id, role, parts, metadata };
}

function partsOf(block: JsonObject, calls: Map<string, Record<string, Json | undefined>>): JsonObject[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text ?? "" }];
    case "thinking":
      return [reasoning(block.thinking, block.signature)];
    case "tool_use":
      return [call(block, calls)];
    case "image":
    case "document":
      return fileOf(block);
    default:
      return [];
  }
}

function reasoning(text: Json | undefined, signature: Json | undefined): JsonObject {
  const own = typeof signature === "string" ? { providerMetadata: { anthropic: { signature } } } : {};
  return { type: "reasoning", text: text ?? "", ...own };
}

/** Its result, which comes later, is put into the same object. */
function call(
  { id, name, input }: JsonObject,
  calls: Map<string, Record<string, Json | undefined>>,
): JsonObject {
  const part: Record<string, Json | undefined> = {
    type: `tool-${stringOf(name)}`,
    toolCallId: stringOf(id),
    state: "input-available",
    input: input ?? {},
  };
  calls.set(stringOf(id), part);
  return part;
}

function settle(calls: Map<string, Record<string, Json | undefined>>, result: JsonObject): void {
  const part = calls.get(stringOf(result.tool_use_id));
  if (part === undefined) return;
  const { content = "" } = result;
  if (result.is_error === true) Object.assign(part, { state: "output-error", errorText: textIn(content) });
  else Object.assign(part, { state: "output-available", output: content });
}

function textIn(content: Json): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : JSON.stringify(content);
  return content
    .map((block) => (isPlainObject(block) && typeof block.text === "string" ? block.text : ""))
    .join("\n");
}

function fileOf({ source, title }: JsonObject): JsonObject[] {
  if (!isPlainObject(source)) return [];
  const { type, data, url, media_type: mediaType } = source as JsonObject;
  const name = typeof title === "string" ? { filename: title } : {};
  if (type === "base64" && typeof data === "string") {
    const kind = typeof mediaType === "string" ? mediaType : "application/octet-stream";
    return [{ type: "file", mediaType: kind, ...name, url: `data:${kind};base64,${data}` }];
  }
  if (type === "text" && typeof data === "string") return [{ type: "text", text: data }];
  if (type !== "url" || typeof url !== "string") return [];
  return [
    {
      type: "file",
      mediaType: typeof mediaType === "string" ? mediaType : "application/octet-stream",
      ...name,
      url,
    },
  ];
}
