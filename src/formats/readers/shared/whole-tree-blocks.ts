/** What readers of whole documents share: the blocks that the same thing becomes in each of them. */
import { toObject } from "../../../message/tool-input.ts";
import type { Block, Message } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { madeId } from "../../contract/ids.ts";
import { mediaTypeOf } from "../../contract/media-types.ts";
import type { FileSource } from "../../contract/reader.ts";
import { defined, filledIn, jsonText, objectIn, parsedIn } from "../../contract/values.ts";

const ID_BYTES_MAX = 200;

/** An id as the source gives it; one that is too long for an entry is replaced by one made of it. */
export function idIn(value: unknown): string | undefined {
  const id = filledIn(value);
  return id === undefined || Buffer.byteLength(id) <= ID_BYTES_MAX ? id : madeId("id", id);
}

/** All but a member that is a list of messages; what is no message in that list stays. */
export function headerOf(value: JsonObject, member: string): JsonObject {
  const { [member]: list, ...header } = value;
  const odd = Array.isArray(list) ? list.filter((item) => objectIn(item) === undefined) : [];
  return odd.length > 0 ? { ...header, [member]: odd } : header;
}

/** A single plain text needs no block. */
export function contentOf(blocks: readonly Block[]): Message["content"] {
  const [only, ...more] = blocks;
  if (only === undefined) return "";
  const isPlain = more.length === 0 && only.type === "text" && Object.keys(only).length === 2;
  return isPlain && typeof only.text === "string" ? only.text : blocks;
}

/** Arguments as a tool gets them. Those that are no JSON object are kept as they were written, too. */
export function toolInput(raw: Json | undefined): {
  readonly input: JsonObject;
  readonly arguments?: string;
} {
  const own = objectIn(raw);
  if (own !== undefined) return { input: own };
  if (raw === undefined || raw === null || raw === "") return { input: {} };
  if (typeof raw !== "string") return { input: { value: raw }, arguments: jsonText(raw) ?? "" };
  const parsed = parsedIn(raw);
  if (parsed === undefined) return { input: {}, arguments: raw };
  if (objectIn(parsed) === undefined) return { input: toObject(`{"value":${raw}}`) ?? {}, arguments: raw };
  // What is nested too deeply for a store stays text.
  const object = toObject(raw);
  return object === undefined ? { input: {}, arguments: raw } : { input: object };
}

const OUR_TYPES: ReadonlySet<string> = new Set([
  ...["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"],
]);

/** A block for what has no block of ours, under a type that ours do not use. */
export function foreignBlock(format: string, type: string | undefined, members: JsonObject): Block {
  const name = type === undefined || type === "" ? "part" : type;
  return { ...members, type: OUR_TYPES.has(name) || type === undefined ? `${format}_${name}` : name };
}

/** A data URL or a web address as the image or document that it is; `undefined` for anything else. */
export function mediaFromUrl(url: string, mime?: string, title?: string): Block | undefined {
  const source = dataIn(url, mime) ?? webIn(url);
  if (source === undefined) return undefined;
  const mediaType = filledIn(source.media_type) ?? mime ?? mediaTypeOf(title ?? url);
  // Where nothing says what it is, it stands where pictures stand.
  if (mediaType === undefined || mediaType.startsWith("image/")) return { type: "image", source };
  return { type: "document", source, ...defined({ title }) } as Block;
}

function webIn(url: string): JsonObject | undefined {
  return /^https?:\/\//i.test(url) ? { type: "url", url } : undefined;
}

function dataIn(url: string, mime: string | undefined): JsonObject | undefined {
  const comma = url.indexOf(",");
  if (!/^data:/i.test(url.slice(0, 5)) || comma < 0) return undefined;
  const [named = "", ...parameters] = url.slice(5, comma).split(";");
  const data = parameters.includes("base64") ? url.slice(comma + 1) : base64Of(url.slice(comma + 1));
  if (data === undefined) return undefined;
  return { type: "base64", media_type: named || mime || "application/octet-stream", data };
}

function base64Of(encoded: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(encoded)).toString("base64");
  } catch {
    return undefined;
  }
}

/** A block for a file beside the source. What is not known to be a picture is a document, unless the caller knows better. */
export function fileBlock(name: string, mime?: string, title?: string, kind?: "image" | "document"): Block {
  const mediaType = mime ?? mediaTypeOf(title ?? name);
  const source: FileSource = {
    type: "file",
    name,
    ...(mediaType !== undefined && { media_type: mediaType }),
  };
  const type = kind ?? (mediaType?.startsWith("image/") ? "image" : "document");
  return { type, source: { ...source }, ...defined({ title }) } as Block;
}

/** A block for a file that is not there. It has no file for a source, so that nobody looks for it again. */
export function missingBlock(kind: "image" | "document", name: string, title?: string): Block {
  return { type: kind, source: { type: "asset", name }, ...defined({ title }), missing: true };
}
