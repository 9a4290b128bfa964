/** Converts the parts of Codex items to blocks. */
import type { Block, Message } from "../../../message/types.ts";
import type { Json } from "../../../util/json.ts";
import { listIn, objectIn, textIn } from "../../../util/values.ts";
import { mediaFromUrl } from "../shared/whole-tree-blocks.ts";

/** An image from its URL. The content of a data URL is extracted. */
export function imageBlock(url: string): Block {
  return mediaFromUrl(url) ?? { type: "image", source: { type: "url", url } };
}

const IMAGE_STARTS: readonly (readonly [string, string])[] = [
  ["iVBOR", "image/png"],
  ["/9j/", "image/jpeg"],
  ["UklGR", "image/webp"],
  ["R0lG", "image/gif"],
];

/** An image without a media type is detected by its first bytes. */
export function bareImage(data: string): Block {
  const [, media_type] = IMAGE_STARTS.find(([start]) => data.startsWith(start)) ?? [];
  return { type: "image", source: { type: "base64", media_type: media_type ?? "image/png", data } };
}

const TEXT_PARTS: ReadonlySet<Json | undefined> = new Set(["input_text", "output_text", "text", "Text"]);

/** Called with every unknown type of part. */
export type OnUnknown = (type: string) => void;

export function partBlock(part: Json, onUnknown: OnUnknown): Block {
  const object = objectIn(part);
  if (object === undefined) return { type: "text", text: textIn(part) ?? JSON.stringify(part) };
  const text = textIn(object.text);
  if (TEXT_PARTS.has(object.type) && text !== undefined) return { type: "text", text };
  const url = textIn(object.image_url) ?? textIn(objectIn(object.image_url)?.url);
  if (url !== undefined) return imageBlock(url);
  const type = textIn(object.type) ?? "none";
  if (type !== "input_audio" && type !== "encrypted_content") onUnknown(`content ${type}`);
  return { ...object, type };
}

/** A single text block becomes a string. */
export function contentOf(value: Json | undefined, onUnknown: OnUnknown): Message["content"] {
  if (typeof value === "string") return value;
  const blocks = listIn(value).map((part) => partBlock(part, onUnknown));
  const [first] = blocks;
  return blocks.length === 1 && first?.type === "text" ? (first.text as string) : blocks;
}

/** All texts of a content joined without a separator, as Codex displays them. */
export function plainText(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? (textIn(block.text) ?? "") : "")).join("");
}
