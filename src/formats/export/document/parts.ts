import type { Message } from "../../../message/types.ts";
import { isJsonObject, isPlainObject, type Json, type JsonObject, stringOf } from "../../../util/json.ts";
import type { Part } from "./pieces.ts";

/** The names of calls, by their ids: a result only knows the id. */
export type CallNames = Map<string, string>;

export function partsOf({ content }: Pick<Message, "content">, names: CallNames): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((block) => partOf(block as JsonObject, names));
}

function partOf(block: JsonObject, names: CallNames): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: stringOf(block.text) };
    case "refusal":
      return { type: "text", text: stringOf(block.refusal) };
    case "thinking":
      return { type: "thinking", text: stringOf(block.thinking) };
    case "redacted_thinking":
      return { type: "thinking", text: "[encrypted by the model's provider]" };
    case "tool_use":
      names.set(stringOf(block.id), stringOf(block.name));
      return { type: "call", name: stringOf(block.name), text: inputText(block) };
    case "tool_result":
      return resultOf(block, names);
    case "image":
    case "document":
      return fileOf(block, block.type);
    default:
      return { type: "other", name: stringOf(block.type), text: JSON.stringify(block, null, 2) };
  }
}

/** Arguments that are not JSON are kept beside the input, unchanged. */
function inputText({ input, arguments: written }: JsonObject): string {
  return typeof written === "string" ? written : JSON.stringify(input ?? {}, null, 2);
}

function resultOf(block: JsonObject, names: CallNames): Part {
  const { content, tool_use_id: id, is_error: failed } = block;
  const name = names.get(stringOf(id)) ?? "";
  const said = typeof content === "string" ? content : Array.isArray(content) ? objectsIn(content) : "";
  return {
    type: "result",
    name,
    failed: failed === true,
    parts: partsOf({ content: said as Message["content"] }, names),
  };
}

function objectsIn(content: readonly Json[]): readonly JsonObject[] {
  return content.filter((item): item is JsonObject => isPlainObject(item));
}

function fileOf(block: JsonObject, what: "image" | "document"): Part {
  const source = isJsonObject(block.source) ? block.source : {};
  const base = {
    type: "file",
    what,
    name: nameOf(block, source),
    mediaType: stringOf(source.media_type),
  } as const;
  if (source.type === "text" && typeof source.data === "string") {
    return {
      ...base,
      mediaType: base.mediaType || "text/plain",
      size: Buffer.byteLength(source.data),
      data: undefined,
    };
  }
  if (source.type !== "base64" || typeof source.data !== "string") {
    return { ...base, size: typeof source.size === "number" ? source.size : undefined, data: undefined };
  }
  return { ...base, size: Math.floor((source.data.replace(/=+$/, "").length * 3) / 4), data: source.data };
}

function nameOf({ title }: JsonObject, { url, name }: JsonObject): string {
  return [title, name, url].find((text) => typeof text === "string" && text !== "")?.toString() ?? "";
}
