/**
 * UI messages of the AI SDK, for a chat window: `{ id, role, parts, metadata }`.
 *
 * A call and its result are one part there, and all steps of an answer are one
 * message, with `step-start` between them.
 */
import { defined, type Json, type JsonObject, stringOf } from "../../util/json.ts";
import { blocksOf } from "../blocks.ts";
import type { Message } from "../types.ts";
import { dataUrl, mediaOf, resultText } from "./request.ts";

/** A message with its entry's id and time. */
export interface UiItem {
  readonly id: string;
  readonly at: string;
  readonly message: Message;
}

interface UiMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: JsonObject[];
  readonly metadata: JsonObject;
}

type Part = Record<string, Json | undefined>;

export function* toUiMessages(items: readonly UiItem[]): Generator<UiMessage, void, undefined> {
  const calls = new Map<string, Part>();
  let answer: UiMessage | undefined;
  for (const item of items) {
    const blocks = blocksOf(item.message);
    for (const block of blocks) if (block.type === "tool_result") addResult(calls, block);
    const parts = blocks.flatMap((block) => partsOf(block, calls));
    if (item.message.role === "assistant") {
      if (answer === undefined) answer = messageOf(item, parts);
      else answer.parts.push({ type: "step-start" }, ...parts);
      continue;
    }
    // A message of tool results only: the answer continues after it.
    if (parts.length === 0 && blocks.length > 0) continue;
    if (answer !== undefined) yield answer;
    answer = undefined;
    yield messageOf(item, parts);
  }
  if (answer !== undefined) yield answer;
}

function messageOf({ id, message, at }: UiItem, parts: JsonObject[]): UiMessage {
  const { role, model, usage } = message;
  const metadata = { createdAt: at, ...defined({ model, usage }) };
  return { id, role, parts, metadata };
}

function partsOf(block: JsonObject, calls: Map<string, Part>): JsonObject[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text ?? "" }];
    case "thinking":
      return [reasoning(block)];
    case "tool_use":
      return [callPart(block, calls)];
    case "image":
    case "document":
      return mediaParts(block);
    default:
      return [];
  }
}

function reasoning({ thinking, signature }: JsonObject): JsonObject {
  const own = typeof signature === "string" ? { providerMetadata: { anthropic: { signature } } } : {};
  return { type: "reasoning", text: thinking ?? "", ...own };
}

/** The result, which comes later, is added to the same object. */
function callPart({ id, name, input }: JsonObject, calls: Map<string, Part>): JsonObject {
  const part: Part = {
    type: `tool-${stringOf(name)}`,
    toolCallId: stringOf(id),
    state: "input-available",
    input: input ?? {},
  };
  calls.set(stringOf(id), part);
  return part;
}

function addResult(calls: ReadonlyMap<string, Part>, result: JsonObject): void {
  const part = calls.get(stringOf(result.tool_use_id));
  if (part === undefined) return;
  const { content = "" } = result;
  if (result.is_error === true)
    Object.assign(part, { state: "output-error", errorText: resultText(content) });
  else Object.assign(part, { state: "output-available", output: content });
}

function mediaParts(block: JsonObject): JsonObject[] {
  const media = mediaOf(block);
  if (media === undefined) return [];
  if (media.form === "text") return [{ type: "text", text: media.text }];
  const filename = typeof block.title === "string" ? { filename: block.title } : {};
  const url = media.form === "url" ? media.url : dataUrl(media.mediaType, media.data);
  return [{ type: "file", mediaType: media.mediaType ?? "application/octet-stream", ...filename, url }];
}
