/** Images and documents for a model, or words in their place where it cannot take them. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import { placeholder } from "../../../message/apis/foreign.ts";
import { mediaOf } from "../../../message/apis/request.ts";
import { type JsonObject, stringOf } from "../../../util/json.ts";
import type { Target } from "../target.ts";

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

export type MediaPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** A refused image would make every later request of the conversation fail, so doubtful ones are only named. */
export function mediaPart(block: JsonObject, target: Target): MediaPart {
  const media = mediaOf(block);
  if (media?.form === "text") return { type: "text", text: media.text };
  const isImage = block.type === "image";
  const named: MediaPart = { type: "text", text: placeholder([block]) };
  if (media === undefined || !(isImage ? seesImages(target) : readsDocuments(target))) return named;
  const mediaType = media.mediaType ?? (isImage ? "image/*" : "application/pdf");
  if (media.form === "url") {
    if (!URL.canParse(media.url)) return named;
    return { type: "file", data: { type: "url", url: new URL(media.url) }, mediaType };
  }
  if (isImage ? !IMAGE_TYPES.has(mediaType) : mediaType !== "application/pdf") return named;
  const title = stringOf(block.title);
  const filename = title === "" ? {} : { filename: title };
  return { type: "file", data: { type: "data", data: media.data }, mediaType, ...filename };
}

function seesImages({ spec }: Target): boolean {
  return spec.input === undefined || spec.input.includes("image");
}

/** Few servers behind the OpenAI-compatible protocol read PDF files. */
function readsDocuments({ api }: Target): boolean {
  return api !== "openai-completions";
}
