/** Images and documents for a model, or words in their place where it cannot take them. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import { placeholder } from "../../../message/apis/foreign.ts";
import { mediaOf } from "../../../message/apis/request.ts";
import { type JsonObject, stringOf } from "../../../util/json.ts";
import type { Target } from "../target.ts";

/** How the images begin that every provider takes, in Base64. */
const IMAGE_TYPES: Readonly<Record<string, string>> = {
  "/9j/": "image/jpeg",
  iVBORw0KGgo: "image/png",
  R0lGOD: "image/gif",
  UklGR: "image/webp",
};
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export type MediaPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** A refused image would make every later request of the conversation fail, so doubtful ones are only named. */
export function mediaPart(block: JsonObject, target: Target): MediaPart {
  const media = mediaOf(block);
  if (media?.form === "text") return { type: "text", text: media.text };
  const isImage = block.type === "image";
  const named: MediaPart = { type: "text", text: placeholder([block]) };
  if (media === undefined || !(isImage ? seesImages(target) : readsDocuments(target))) return named;
  const given = media.mediaType ?? (isImage ? "image/*" : "application/pdf");
  if (media.form === "url") {
    if (!URL.canParse(media.url)) return named;
    return { type: "file", data: { type: "url", url: new URL(media.url) }, mediaType: given };
  }
  const mediaType = isImage ? imageType(media.data) : given;
  if (mediaType === undefined || (!isImage && given !== "application/pdf")) return named;
  const title = stringOf(block.title);
  const filename = title === "" ? {} : { filename: title };
  return { type: "file", data: { type: "data", data: media.data }, mediaType, ...filename };
}

/** By its content: providers refuse an image that is not what its name says. */
function imageType(data: string): string | undefined {
  const found = Object.entries(IMAGE_TYPES).find(([start]) => data.startsWith(start));
  return found !== undefined && BASE64.test(data) ? found[1] : undefined;
}

function seesImages({ spec }: Target): boolean {
  return spec.input === undefined || spec.input.includes("image");
}

/** Few servers behind the OpenAI-compatible protocol read PDF files. */
function readsDocuments({ api }: Target): boolean {
  return api !== "openai-completions";
}
