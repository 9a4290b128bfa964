/** Tool calls, results and media that plain transcripts keep beside the text of a message. */
import { dataSource } from "../../../message/apis/request.ts";
import { isRole } from "../../../message/rules.ts";
import { resultContent } from "../../../message/tool-input.ts";
import type { Block, Message } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn, objectsIn, parsedIn, textIn } from "../../contract/values.ts";
import { toolInput } from "./whole-tree-blocks.ts";

/** Pairs calls and results by id, or by order where a source has no ids. */
export class FlatTools {
  readonly #waiting: string[];

  constructor(waiting: readonly string[] = []) {
    this.#waiting = [...waiting];
  }

  /** Calls without a result so far, for the state of the reader. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** `made` is the id for a call without one. */
  call(call: JsonObject, made: string): Block {
    const form = objectIn(call.function) ?? call;
    const id = filledIn(call.id) ?? filledIn(call.call_id) ?? filledIn(call.tool_call_id) ?? made;
    const name = filledIn(form.name) ?? filledIn(call.tool_name) ?? filledIn(call.tool) ?? "unknown";
    this.#waiting.push(id);
    const raw = form.params ?? form.arguments ?? form.input ?? form.args ?? form.parameters;
    return { type: "tool_use", id, name, ...toolInput(raw) };
  }

  result(result: JsonObject, content: Json | undefined = contentOf(result)): Block {
    const own =
      filledIn(result.tool_use_id) ??
      filledIn(result.tool_call_id) ??
      filledIn(result.call_id) ??
      filledIn(result.id);
    const id = own ?? this.#waiting[0] ?? "unknown";
    const place = this.#waiting.indexOf(id);
    if (place !== -1) this.#waiting.splice(place, 1);
    const failed =
      result.is_error === true || result.success === false || filledIn(result.error) !== undefined;
    return {
      type: "tool_result",
      tool_use_id: id,
      ...resultContent(content),
      ...(failed ? { is_error: true } : {}),
      ...(own === undefined ? { paired: "order" } : {}),
    };
  }
}

function contentOf({ content, output, result, error }: JsonObject): Json | undefined {
  return content ?? output ?? result ?? error;
}

/** `{ type, url, base64, mimetype }`: a picture or another file. */
export function mediaBlock(media: JsonObject): Block {
  const url = filledIn(media.url);
  const base64 = url === undefined ? undefined : dataSource(url);
  const mediaType = filledIn(media.mimetype) ?? filledIn(media.mimeType) ?? base64?.media_type;
  const isImage = media.type === "image" || mediaType?.startsWith("image/") === true;
  const type = isImage ? "image" : "document";
  const data = filledIn(media.base64) ?? base64?.data;
  if (data !== undefined) {
    const media_type = mediaType ?? (isImage ? "image/png" : "application/octet-stream");
    return { type, source: { type: "base64", media_type, data } };
  }
  return url === undefined ? { type: "media", media } : { type, source: { type: "url", url } };
}

/** A list, or a list written as JSON text. */
export function listOf(value: Json | undefined): JsonObject[] {
  return objectsIn(typeof value === "string" ? parsedIn(value) : value);
}

/** Text and blocks as content; a string where there are no blocks. */
export function contentWith(
  content: Json | undefined,
  before: readonly Block[],
  after: readonly Block[],
): Message["content"] {
  const own = Array.isArray(content) ? (objectsIn(content).map(asBlock) as Block[]) : (textIn(content) ?? "");
  if (before.length + after.length === 0) return own;
  const said: readonly Block[] =
    typeof own === "string" ? (own === "" ? [] : [{ type: "text", text: own }]) : own;
  return [...before, ...said, ...after];
}

/** Only a value with a type can be a block. */
function asBlock(block: JsonObject): JsonObject {
  return typeof block.type === "string" && block.type !== "" ? block : { type: "unknown", block };
}

export function thinkingBlocks(text: unknown): Block[] {
  const thinking = filledIn(text);
  return thinking === undefined ? [] : [{ type: "thinking", thinking }];
}

/** Our role, and the role of the source where it differs. */
export function roleOf(value: unknown): { readonly role: Message["role"]; readonly other?: string } {
  if (isRole(value)) return { role: value };
  if (value === "developer") return { role: "system", other: "developer" };
  if (value === "tool" || value === "function" || value === "toolResult") return { role: "user" };
  if (value === "human") return { role: "user", other: "human" };
  if (value === "ai" || value === "model" || value === "bot")
    return { role: "assistant", other: wordOf(value) };
  return { role: "user", other: wordOf(value) };
}

/** A value as a word. Not `String(value)`, which would call methods of an object. */
export function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
}
