/** Tool calls, results and media that plain transcripts keep beside the text of a message. */
import { defined, type Json, type JsonObject } from "../../util/json.ts";
import { filledIn, objectIn, objectsIn, parsedIn, textIn } from "../../util/values.ts";
import { isRole } from "../rules.ts";
import { resultContent, toolInput } from "../tool-input.ts";
import type { Block, Message } from "../types.ts";
import { dataSource } from "./request.ts";

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
    const outer = new Properties(call);
    const form = objectIn(call.function);
    const inner = form === undefined ? outer : new Properties(form);
    const id = outer.filled("id", "call_id", "tool_call_id") ?? made;
    const name = inner.filled("name") ?? outer.filled("tool_name", "tool") ?? "unknown";
    this.#waiting.push(id);
    const raw = inner.value("params", "arguments", "input", "args", "parameters");
    const unread = { ...outer.unread("function", call.type === "function" ? "type" : "") };
    const rest = form === undefined ? unread : { ...unread, ...defined({ function: inner.unread() }) };
    return { type: "tool_use", id, name, ...toolInput(raw), ...asNote(rest) };
  }

  /** An element of a list of results. */
  result(result: JsonObject): Block {
    const read = new Properties(result);
    const block = this.#result(read, read.value("content", "output", "result", "error"));
    return { ...block, ...asNote(read.unread("is_error", "success")) };
  }

  /** A message that is a result. Its `id` is its own, not that of the call. */
  resultMessage({ id: _id, ...line }: JsonObject): Block {
    return this.#result(new Properties(line), line.content);
  }

  #result(read: Properties, content: Json | undefined): Block {
    const own = read.filled("tool_use_id", "tool_call_id", "call_id", "id");
    const id = own ?? this.#waiting[0] ?? "unknown";
    const place = this.#waiting.indexOf(id);
    if (place !== -1) this.#waiting.splice(place, 1);
    const { is_error, success, error } = read.element;
    const failed = is_error === true || success === false || filledIn(error) !== undefined;
    return {
      type: "tool_result",
      tool_use_id: id,
      ...resultContent(content),
      ...(failed ? { is_error: true } : {}),
      ...(own === undefined ? { paired: "order" } : {}),
    };
  }
}

/** Reads properties by any of their names, and knows which it has not read. */
class Properties {
  readonly element: JsonObject;
  readonly #read = new Set<string>();

  constructor(element: JsonObject) {
    this.element = element;
  }

  filled(...names: readonly string[]): string | undefined {
    return filledIn(this.#first(names, (value) => filledIn(value) !== undefined));
  }

  value(...names: readonly string[]): Json | undefined {
    return this.#first(names, (value) => value !== undefined && value !== null);
  }

  unread(...except: readonly string[]): JsonObject | undefined {
    const isRead = (name: string): boolean => this.#read.has(name) || except.includes(name);
    const rest = Object.entries(this.element).filter(([name, value]) => !isRead(name) && !isEmpty(value));
    return rest.length === 0 ? undefined : Object.fromEntries(rest);
  }

  #first(names: readonly string[], fits: (value: Json | undefined) => boolean): Json | undefined {
    const name = names.find((one) => fits(this.element[one]));
    if (name === undefined) return undefined;
    this.#read.add(name);
    return this.element[name];
  }
}

/** Programs write empty values for those that they do not have. */
function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === "";
}

/** Properties that a block has no place for stay beside it. */
function asNote(rest: JsonObject | undefined): { readonly flat?: JsonObject } {
  return rest === undefined || Object.keys(rest).length === 0 ? {} : { flat: rest };
}

/** `{ type, url, base64, mimetype }`: a picture or another file. */
export function mediaBlock(media: JsonObject): Block {
  const read = new Properties(media);
  const url = read.filled("url");
  const base64 = url === undefined ? undefined : dataSource(url);
  const mediaType = read.filled("mimetype", "mimeType") ?? base64?.media_type;
  const isImage = media.type === "image" || mediaType?.startsWith("image/") === true;
  const type = isImage ? "image" : "document";
  const data = read.filled("base64") ?? base64?.data;
  if (data === undefined && url === undefined) return { type: "media", media };
  const rest = asNote(read.unread(media.type === type || media.type === "file" ? "type" : ""));
  if (data === undefined) return { type, source: { type: "url", url }, ...rest };
  const media_type = mediaType ?? (isImage ? "image/png" : "application/octet-stream");
  return { type, source: { type: "base64", media_type, data }, ...rest };
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
