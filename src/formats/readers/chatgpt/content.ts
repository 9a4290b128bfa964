/** Converts messages of ChatGPT by the type of their content. */
import type { Block } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { mediaTypeOf } from "../../contract/media-types.ts";
import type { Sink } from "../../contract/reader.ts";
import { fileBlock, foreignBlock, missingBlock } from "../shared/whole-tree-blocks.ts";
import { type Assets, assetIdIn } from "./assets.ts";

/** The text of a call: a program, or its parts if all of them are text. */
export function contentText(content: JsonObject): string | undefined {
  if (typeof content.text === "string") return content.text;
  const parts = listIn(content.parts);
  return parts.length > 0 && parts.every((part) => typeof part === "string") ? parts.join("\n") : undefined;
}

export function contentBlocks(content: JsonObject, assets: Assets, sink: Sink): Block[] {
  const type = filledIn(content.content_type);
  switch (type) {
    case "text":
    case "multimodal_text":
      return listIn(content.parts).flatMap((part) => partBlocks(part, assets, sink));
    case "code":
    case "execution_output":
      return texts(content.text);
    case "system_error":
      return named(content, ["name"]);
    case "tether_quote":
      return named(content, ["url", "domain", "title"]);
    case "tether_browsing_display":
      return [...texts(content.result), ...texts(content.summary)];
    case "thoughts":
      return objectsIn(content.thoughts).map(thought);
    case "reasoning_recap":
      return thinking(content.content);
    case "user_editable_context":
      return [...texts(content.user_profile), ...texts(content.user_instructions)];
    default:
      return unknownContent(type, content, sink);
  }
}

function unknownContent(type: string | undefined, content: JsonObject, sink: Sink): Block[] {
  if (type === undefined && Object.keys(content).length === 0) return [];
  sink.unknown(`content_type ${type ?? "none"}`);
  return [foreignBlock("chatgpt", type, content)];
}

function texts(value: Json | undefined): Block[] {
  const text = filledIn(value);
  return text === undefined ? [] : [{ type: "text", text }];
}

/** A text with facts about it. */
function named(content: JsonObject, members: readonly string[]): Block[] {
  const about = defined(Object.fromEntries(members.map((name) => [name, filledIn(content[name])])));
  return [{ type: "text", text: textIn(content.text) ?? "", ...about }];
}

function thinking(value: Json | undefined): Block[] {
  const text = filledIn(value);
  return text === undefined ? [] : [{ type: "thinking", thinking: text }];
}

function thought({ summary, content }: JsonObject): Block {
  const said = filledIn(content);
  if (said === undefined) return { type: "thinking", thinking: textIn(summary) ?? "" };
  return { type: "thinking", thinking: said, ...defined({ summary: filledIn(summary) }) } as Block;
}

function partBlocks(part: Json, assets: Assets, sink: Sink): Block[] {
  if (typeof part === "string") return [{ type: "text", text: part }];
  const value = objectIn(part);
  if (value === undefined) return part === null ? [] : [{ type: "chatgpt_part", part }];
  const type = filledIn(value.content_type);
  if (type === "image_asset_pointer") return [imageBlock(value, assets, sink)];
  if (type === "audio_transcription") return named(value, ["content_type", "direction"]);
  if (type !== undefined && AUDIO_TYPES.has(type)) return [audioBlock(type, value, assets, sink)];
  sink.unknown(`content_type ${type ?? "none"}`);
  return [foreignBlock("chatgpt", type, value)];
}

const AUDIO_TYPES: ReadonlySet<string> = new Set([
  "audio_asset_pointer",
  "real_time_user_audio_video_asset_pointer",
]);

function imageBlock(value: JsonObject, assets: Assets, sink: Sink): Block {
  const assetId = assetIdOf(value);
  if (assetId === undefined) return foreignBlock("chatgpt", "image_asset_pointer", value);
  const name = fileOf(assetId, assets, sink);
  return name === undefined ? missingBlock("image", assetId) : fileBlock(name, undefined, undefined, "image");
}

/** There is no block for sound: the part is kept unchanged, with the file that it refers to. */
function audioBlock(type: string, value: JsonObject, assets: Assets, sink: Sink): Block {
  const assetId = assetIdOf(objectIn(value.audio_asset_pointer) ?? value);
  const name = assetId === undefined ? undefined : fileOf(assetId, assets, sink);
  if (name === undefined) return { ...value, type, missing: true };
  return { ...value, type, source: { type: "file", name, ...defined({ media_type: mediaTypeOf(name) }) } };
}

function assetIdOf({ asset_pointer }: JsonObject): string | undefined {
  const pointer = filledIn(asset_pointer);
  return pointer === undefined ? undefined : (assetIdIn(pointer) ?? pointer);
}

function fileOf(assetId: string, assets: Assets, sink: Sink): string | undefined {
  const name = assets(assetId);
  if (name === undefined) sink.unresolved(assetId);
  return name;
}

/** Files that were attached and that no part of the content shows. */
export function attachedBlocks(message: JsonObject, assets: Assets, sink: Sink): Block[] {
  const shown = shownAssets(listIn(objectIn(message.content)?.parts));
  return objectsIn(objectIn(message.metadata)?.attachments).flatMap(({ id, name, mime_type, mimeType }) => {
    const assetId = assetIdIn(textIn(id) ?? "");
    if (assetId === undefined || shown.has(assetId)) return [];
    const file = fileOf(assetId, assets, sink);
    return file === undefined
      ? []
      : [fileBlock(file, filledIn(mime_type) ?? filledIn(mimeType), filledIn(name))];
  });
}

/** Whether a file that was attached is not there. */
export function lacksAttached(message: JsonObject, assets: Assets): boolean {
  return objectsIn(objectIn(message.metadata)?.attachments).some(({ id }) => {
    const assetId = assetIdIn(textIn(id) ?? "");
    return assetId !== undefined && assets(assetId) === undefined;
  });
}

function shownAssets(parts: readonly Json[]): ReadonlySet<string | undefined> {
  return new Set(parts.map((part) => assetIdIn(textIn(objectIn(part)?.asset_pointer) ?? "")));
}
