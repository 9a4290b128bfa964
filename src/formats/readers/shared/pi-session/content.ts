/** Content of pi messages, as blocks of ours. */

import { toolInput } from "../../../../message/tool-input.ts";
import type { Block, Message } from "../../../../message/types.ts";
import { type Json, type JsonObject, someDefined } from "../../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, textIn } from "../../../../util/values.ts";
import { madeId } from "../../../contract/ids.ts";

export interface PiContext {
  /** The id of the entry, for calls without one. */
  readonly entryId: string;
  /** Ids made for calls, whose results have none either. */
  readonly calls: string[];
  readonly onUnknown: (type: string) => void;
}

export function contentIn(content: Json | undefined, context: PiContext): Message["content"] {
  if (typeof content === "string") return content;
  return listIn(content).map((part, index) => blockIn(part, index, context));
}

function blockIn(part: Json, index: number, context: PiContext): Block {
  const block = objectIn(part);
  if (block === undefined) return { type: "text", text: textIn(part) ?? JSON.stringify(part) };
  switch (block.type) {
    case "text":
      return { type: "text", text: textIn(block.text) ?? "" };
    case "thinking":
      return thinkingIn(block);
    case "image":
      return imageIn(block);
    case "toolCall":
      return callIn(block, index, context);
    default:
      context.onUnknown(`content ${textIn(block.type) ?? "none"}`);
      return { ...block, type: textIn(block.type) ?? "none" };
  }
}

function thinkingIn({ thinking, thinkingSignature, redacted }: JsonObject): Block {
  const signature = filledIn(thinkingSignature);
  if (redacted === true && signature !== undefined) return { type: "redacted_thinking", data: signature };
  const block = { type: "thinking", thinking: textIn(thinking) ?? "" };
  return signature === undefined ? block : { ...block, signature };
}

function imageIn(block: JsonObject): Block {
  const data = textIn(block.data);
  // Other programs in this family write the block as Claude has it.
  if (data === undefined) return { ...block, type: "image" };
  const media_type = filledIn(block.mimeType) ?? "image/png";
  return { type: "image", source: { type: "base64", media_type, data } };
}

function callIn({ id, name, arguments: raw }: JsonObject, index: number, context: PiContext): Block {
  const known = filledIn(id);
  const made = madeId(context.entryId, "call", index);
  if (known === undefined) context.calls.push(made);
  return { type: "tool_use", id: known ?? made, name: filledIn(name) ?? "unknown", ...toolInput(raw) };
}

/** Cached tokens are not included in the input tokens. */
export function usageIn(value: Json | undefined): JsonObject | undefined {
  const usage = objectIn(value);
  if (usage === undefined) return undefined;
  return someDefined({
    input_tokens: numberIn(usage.input),
    output_tokens: numberIn(usage.output),
    cache_read_input_tokens: numberIn(usage.cacheRead),
    cache_creation_input_tokens: numberIn(usage.cacheWrite),
    reasoning_tokens: numberIn(usage.reasoning),
    cost: numberIn(objectIn(usage.cost)?.total),
  });
}
