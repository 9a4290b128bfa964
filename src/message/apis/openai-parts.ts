/** The parts of an OpenAI message's content, each with its block. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.ts";
import type { Block } from "../types.ts";
import { difference, overlay } from "./foreign.ts";
import { dataSource, dataUrl } from "./request.ts";

/** Our own block types: a part of the same name means something else and is wrapped. */
const OUR_TYPES: ReadonlySet<unknown> = new Set([
  ...["image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"],
  ...["audio", "openai_part", "openai_tool_call"],
]);
const MEDIA_TYPES: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "file"]);

export function isMedia(part: Json): boolean {
  return isJsonObject(part) && MEDIA_TYPES.has(part.type);
}

export function readPart(part: Json): Block {
  const block = barePart(part);
  const [written] = writePart(block);
  return isJsonObject(part) && written ? withRest(block, written, part) : block;
}

function barePart(part: Json): Block {
  if (!isJsonObject(part) || typeof part.type !== "string" || part.type === "") {
    return { type: "openai_part", part };
  }
  if (part.type === "text" && typeof part.text === "string") return { type: "text", text: part.text };
  if (part.type === "text" || OUR_TYPES.has(part.type)) return { type: "openai_part", part };
  const media = imageOf(part.image_url) ?? documentOf(part.file);
  if (isMedia(part)) return media ?? (part as Block);
  return { ...(part as Block), openai: {} };
}

function imageOf(image: Json | undefined): Block | undefined {
  if (!isJsonObject(image) || typeof image.url !== "string") return undefined;
  const source = dataSource(image.url);
  if (source !== undefined) return { type: "image", source };
  return /^https?:/.test(image.url) ? { type: "image", source: { type: "url", url: image.url } } : undefined;
}

function documentOf(file: Json | undefined): Block | undefined {
  if (!isJsonObject(file) || typeof file.file_data !== "string") return undefined;
  const source = dataSource(file.file_data);
  // Claude takes PDF only; any other file stays an OpenAI part.
  if (source?.media_type !== "application/pdf") return undefined;
  const title = typeof file.filename === "string" ? { title: file.filename } : {};
  return { type: "document", source, ...title };
}

/** The part for a block; none where OpenAI has no equivalent. */
export function writePart(block: JsonObject): JsonObject[] {
  const written = writeBarePart(block);
  return written === undefined ? [] : [restored(block, written, barePart) ?? written];
}

function writeBarePart(block: JsonObject): JsonObject | undefined {
  const source = isJsonObject(block.source) ? block.source : {};
  if (block.type === "text" && typeof block.text === "string") return { type: "text", text: block.text };
  if (block.type === "image") return imagePart(source);
  if (block.type === "document") return documentPart(source, block.title);
  if (block.type === "openai_part") return block.part as JsonObject;
  if (OUR_TYPES.has(block.type)) return undefined;
  return isMedia(block) || isJsonObject(block.openai) ? bare(block) : undefined;
}

function imagePart({ type, url, media_type, data }: JsonObject): JsonObject | undefined {
  if (type === "url" && typeof url === "string") return { type: "image_url", image_url: { url } };
  if (type !== "base64" || typeof media_type !== "string" || typeof data !== "string") return undefined;
  return { type: "image_url", image_url: { url: dataUrl(media_type, data) } };
}

function documentPart(source: JsonObject, title: Json | undefined): JsonObject | undefined {
  const { type, url, media_type, data } = source;
  if (type === "text" && typeof data === "string") return { type: "text", text: data };
  if (type === "url" && typeof url === "string") return { type: "text", text: `[document: ${url}]` };
  if (type !== "base64" || typeof media_type !== "string" || typeof data !== "string") return undefined;
  const filename = typeof title === "string" ? title : "document.pdf";
  return { type: "file", file: { filename, file_data: dataUrl(media_type, data) } };
}

function bare({ openai: _openai, ...own }: JsonObject): JsonObject {
  return own;
}

export function withRest(block: Block, written: JsonObject, foreign: JsonObject): Block {
  const rest = difference(written, foreign);
  return rest === undefined ? block : { ...block, openai: rest };
}

/** The original from OpenAI, if the block still has the same content. */
export function restored(
  block: JsonObject,
  written: JsonObject,
  read: (foreign: JsonObject) => JsonObject,
): JsonObject | undefined {
  if (!isJsonObject(block.openai)) return undefined;
  const whole = overlay(written, block.openai);
  return isDeepStrictEqual(bare(read(whole)), bare(block)) ? whole : undefined;
}
