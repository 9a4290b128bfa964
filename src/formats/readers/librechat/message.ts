/** Converts messages of LibreChat. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block, Message } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, numberIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink } from "../../contract/reader.ts";
import { contentOf, foreignBlock, mediaFromUrl } from "../shared/whole-tree-blocks.ts";
import { blocksOf, type Item, type Part } from "../shared/whole-tree-parts.ts";

export function messageOf(message: JsonObject, part: Part, sink: Sink): Message {
  const isAnswer = part.role === "assistant";
  const tokens = numberIn(message.tokenCount);
  const isFirst = isAnswer && part.id === message.messageId;
  const isWhole = part.items.some(({ raw }) => raw !== undefined);
  if (isAnswer && message.isCreatedByUser === undefined && message.sender === undefined)
    sink.unknown("sender none");
  return {
    role: part.role,
    content: isWhole ? blocksOf(part.items) : contentOf(blocksOf(part.items)),
    ...(isAnswer && defined({ model: filledIn(message.model), stopReason: filledIn(message.finish_reason) })),
    ...(isFirst && tokens !== undefined && { usage: { output_tokens: tokens } }),
    ...(message.error === true && { extra: { librechat: { error: true } } }),
  };
}

/** Results directly follow the calls that were made together. */
export function contentItems(message: JsonObject, id: string, sink: Sink): Item[] {
  const items: Item[] = [];
  let results: Item[] = [];
  listIn(message.content).forEach((raw, index) => {
    const call = objectIn(objectIn(raw)?.tool_call);
    if (call === undefined) {
      items.push(...results, { block: blockOf(raw, sink), raw });
      results = [];
    } else {
      const made = callItems(raw, call, madeId("librechat call", id, index));
      items.push(made.use);
      results.push(...made.results);
    }
  });
  items.push(...results);
  const text = filledIn(message.text);
  if (items.length === 0 && text !== undefined) items.push({ block: { type: "text", text }, raw: undefined });
  return [...items, ...fileItems(message, sink)];
}

/** In the source, a call and its result are one part. Each of our blocks is kept with its half of it. */
function callItems(
  raw: Json,
  call: JsonObject,
  madeCallId: string,
): { readonly use: Item; readonly results: Item[] } {
  // The assistants of OpenAI put name, arguments and output one level further down.
  const form = objectIn(call.function) ?? call;
  const id = filledIn(call.id) ?? madeCallId;
  const { output, ...rest } = form;
  const use: Block = {
    type: "tool_use",
    id,
    name: filledIn(form.name) ?? filledIn(call.type) ?? "unknown",
    ...toolInput(form.args ?? form.arguments),
  };
  if (output === undefined || output === null) return { use: { block: use, raw }, results: [] };
  const half = (inner: JsonObject): JsonObject => (form === call ? inner : { ...call, function: inner });
  const result: Block = { type: "tool_result", tool_use_id: id, content: outputText(output) };
  return {
    use: { block: use, raw: { ...objectIn(raw), tool_call: half(rest) } },
    results: [{ block: result, raw: { type: "tool_call", tool_call: { id: call.id ?? null, output } } }],
  };
}

function outputText(output: Json): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

function blockOf(raw: Json, sink: Sink): Block {
  const value = objectIn(raw);
  if (value === undefined)
    return typeof raw === "string" ? { type: "text", text: raw } : { type: "librechat_part", part: raw };
  switch (value.type) {
    case "text":
      return { type: "text", text: textOf(value.text) };
    case "think":
      return { type: "thinking", thinking: textOf(value.think) };
    case "error":
      return { ...value, type: "error" };
    case "image_url":
      return imageBlock(value, sink);
    case "image_file":
      return storedImage(value, sink);
    default:
      sink.unknown(`content ${filledIn(value.type) ?? "none"}`);
      return foreignBlock("librechat", filledIn(value.type), value);
  }
}

/** Assistants write `{ value, annotations }` instead of a string. */
function textOf(value: Json | undefined): string {
  return textIn(value) ?? textIn(objectIn(value)?.value) ?? "";
}

function imageBlock(value: JsonObject, sink: Sink): Block {
  const url = textIn(value.image_url) ?? textIn(objectIn(value.image_url)?.url) ?? "";
  const block = mediaFromUrl(url);
  if (block === undefined) sink.unresolved(url.slice(0, 200));
  return block ?? foreignBlock("librechat", "image_url", value);
}

/** The server's files are not in the export. */
function storedImage(value: JsonObject, sink: Sink): Block {
  const file = objectIn(value.image_file) ?? {};
  sink.unresolved(filledIn(file.filepath) ?? filledIn(file.file_id) ?? "image_file");
  return foreignBlock("librechat", "image_file", value);
}

function fileItems(message: JsonObject, sink: Sink): Item[] {
  return objectsIn(message.files).map((file) => {
    const url = filledIn(file.filepath) ?? "";
    const block = mediaFromUrl(url, filledIn(file.type), filledIn(file.filename));
    if (block === undefined) sink.unresolved(url || (filledIn(file.file_id) ?? "file"));
    const { file_id, filename, filepath, type: media_type } = file;
    const kept = defined({ file_id, filename, filepath, media_type });
    return { block: block ?? { ...kept, type: "file" }, raw: undefined };
  });
}
