/** Blocks that readers of whole documents make in the same way. */
import { BLOCK_RULES } from "../../../message/rules.ts";
import type { Block, Message } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn, objectIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import { mediaTypeOf } from "../../contract/media-types.ts";
import type { FileSource } from "../../contract/reader.ts";

const ID_BYTES_MAX = 200;

/** An id of the source. One that is too long for an entry is replaced by its hash. */
export function idIn(value: unknown): string | undefined {
  const id = filledIn(value);
  return id === undefined || Buffer.byteLength(id) <= ID_BYTES_MAX ? id : madeId("id", id);
}

/** The value without the messages of a list; items of the list that are not messages stay. */
export function headerOf(value: JsonObject, member: string): JsonObject {
  const { [member]: list, ...header } = value;
  const odd = Array.isArray(list) ? list.filter((item) => objectIn(item) === undefined) : [];
  return odd.length > 0 ? { ...header, [member]: odd } : header;
}

/** A single text block becomes a string. */
export function contentOf(blocks: readonly Block[]): Message["content"] {
  const [only, ...more] = blocks;
  if (only === undefined) return "";
  const isPlain = more.length === 0 && only.type === "text" && Object.keys(only).length === 2;
  return isPlain && typeof only.text === "string" ? only.text : blocks;
}

const OUR_TYPES: ReadonlySet<string> = new Set(Object.keys(BLOCK_RULES));

/** A block for a part that has no equivalent, with a type that we do not use. */
export function foreignBlock(format: string, type: string | undefined, members: JsonObject): Block {
  const name = type === undefined || type === "" ? "part" : type;
  return { ...members, type: OUR_TYPES.has(name) || type === undefined ? `${format}_${name}` : name };
}

/** The image or document of a data URL or web address; `undefined` for anything else. */
export function mediaFromUrl(url: string, mime?: string, title?: string): Block | undefined {
  const source = dataIn(url, mime) ?? webIn(url);
  if (source === undefined) return undefined;
  const mediaType = filledIn(source.media_type) ?? mime ?? mediaTypeOf(title ?? url);
  // Without a media type it is an image: only images are expected here.
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

/** A block for a file beside the source: a document unless its type or the caller says that it is an image. */
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

/** A block for a missing file. Its source is not a file, so that the writer does not look for it. */
export function missingBlock(kind: "image" | "document", name: string, title?: string): Block {
  return { type: kind, source: { type: "asset", name }, ...defined({ title }), missing: true };
}
