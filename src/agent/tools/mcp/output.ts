/** What a model sees of the result of an MCP tool. */
import type { Block } from "../../../message/types.ts";
import { bytesText } from "../../../util/bytes-text.ts";
import type { JsonObject } from "../../../util/json.ts";
import { jsonText, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import type { ToolOutput } from "../tool.ts";

/** What models accept. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const IMAGE_CHARS_MAX = 7_000_000;
const IMAGES_MAX = 20;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** `result` is the answer of a server, of which nothing is taken for granted. */
export function outputOf(result: JsonObject): ToolOutput {
  const parts = objectsIn(result.content);
  const structured = objectIn(result.structuredContent);
  if (parts.length === 0) return structured;
  let images = 0;
  const blocks = parts.map((part): Block => {
    const block = blockOf(part);
    if (block.type !== "image" || ++images <= IMAGES_MAX) return block;
    return text(`[An image was left out: there are more than ${IMAGES_MAX}]`);
  });
  return blocks.every(isTextBlock) ? blocks.map((block) => block.text).join("\n") : blocks;
}

/** The same as one string, for an error. */
export function outputText(result: JsonObject): string {
  const output = outputOf(result);
  if (typeof output === "string") return output;
  return Array.isArray(output)
    ? output.map((block) => textIn(block.text) ?? `[${block.type}]`).join("\n")
    : "";
}

type Text = { readonly type: "text"; readonly text: string };

function isTextBlock(block: Block): block is Text {
  return block.type === "text";
}

function text(words: string): Text {
  return { type: "text", text: words };
}

function blockOf(part: JsonObject): Block {
  if (part.type === "text") return text(textIn(part.text) ?? "");
  if (part.type === "image") return imageOf(part.data, part.mimeType);
  if (part.type === "resource_link")
    return text(`${textIn(part.name) ?? "Resource"}: ${textIn(part.uri) ?? ""}`);
  if (part.type === "resource") return resourceOf(objectIn(part.resource) ?? {});
  if (part.type === "audio") return text("[Audio was left out: models cannot hear it]");
  return text(jsonText(part) ?? "");
}

function resourceOf(resource: JsonObject): Block {
  const { uri, mimeType, blob } = resource;
  if (typeof resource.text === "string") return text(`${textIn(uri) ?? "Resource"}:\n${resource.text}`);
  if (IMAGE_TYPES.includes(textIn(mimeType) ?? "")) return imageOf(blob, mimeType);
  return text(`[${textIn(uri) ?? "A resource"} was left out: it is not text]`);
}

function imageOf(data: unknown, mimeType: unknown): Block {
  if (typeof data !== "string" || typeof mimeType !== "string" || !IMAGE_TYPES.includes(mimeType)) {
    return text("[An image was left out: models do not accept its format]");
  }
  if (data.length > IMAGE_CHARS_MAX) {
    return text(`[An image was left out: it has more than ${bytesText((IMAGE_CHARS_MAX / 4) * 3)}]`);
  }
  if (!BASE64.test(data)) return text("[An image was left out: it is damaged]");
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}
