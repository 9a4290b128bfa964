/** The content of a Claude.ai message: blocks, attachments, and files that it names. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import { mediaTypeOf } from "../../contract/media-types.ts";
import type { Sink, Surroundings } from "../../contract/reader.ts";
import { fileBlock, foreignBlock, missingBlock } from "../shared/whole-tree-blocks.ts";
import type { Item } from "../shared/whole-tree-parts.ts";

/** The name of a file of that id, where the export has it. */
type Files = (fileId: string) => string | undefined;

const FOLDERS = [".", "files"];

/** Exports usually hold no files. If the user added them, their names begin with their ids. */
export async function filesAround(around: Surroundings, messages: readonly JsonObject[]): Promise<Files> {
  if (!messages.some((message) => filesOf(message).length > 0)) return () => undefined;
  const names: string[] = [];
  for (const folder of FOLDERS) {
    const found = await around.list(folder);
    names.push(...found.map((name) => (folder === "." ? name : `${folder}/${name}`)));
  }
  return (fileId) => names.find((name) => name.slice(name.lastIndexOf("/") + 1).startsWith(fileId));
}

function filesOf(message: JsonObject): JsonObject[] {
  const files = objectsIn(message.files);
  return files.length > 0 ? files : objectsIn(message.files_v2);
}

export function contentItems(message: JsonObject, id: string, files: Files, sink: Sink): Item[] {
  const content = listIn(message.content);
  const calls = new Calls(id);
  const said = content.map((raw) => ({ block: blockOf(raw, calls, sink), raw }));
  const beside = [
    ...(content.length === 0 ? fallback(message.text) : []),
    ...objectsIn(message.attachments).flatMap(attachment),
    ...filesOf(message).map((file) => namedFile(file, files, sink)),
  ];
  return [...said, ...beside.map((block) => ({ block, raw: undefined }))];
}

/** `text` repeats the blocks, with a description of those that are not text. */
function fallback(text: Json | undefined): Block[] {
  const said = filledIn(text);
  return said === undefined ? [] : [{ type: "text", text: said }];
}

function attachment({ extracted_content, file_name }: JsonObject): Block[] {
  const data = filledIn(extracted_content);
  if (data === undefined) return [];
  const source = { type: "text", media_type: "text/plain", data };
  return [{ type: "document", source, ...defined({ title: filledIn(file_name) }) } as Block];
}

function namedFile(file: JsonObject, files: Files, sink: Sink): Block {
  const fileId = filledIn(file.file_uuid) ?? filledIn(file.uuid) ?? filledIn(file.file_name) ?? "file";
  const name = files(fileId);
  const title = filledIn(file.file_name);
  const isImage = file.file_kind === "image" || mediaTypeOf(title ?? "")?.startsWith("image/");
  const kind = isImage ? "image" : "document";
  if (name !== undefined) return fileBlock(name, undefined, title, kind);
  sink.unresolved(fileId);
  return missingBlock(kind, fileId, title);
}

/** Calls of one message. Legacy exports have no ids for them: results come in the same order. */
class Calls {
  readonly #message: string;
  readonly #open: string[] = [];
  #count = 0;

  constructor(message: string) {
    this.#message = message;
  }

  made(): string {
    const id = madeId("claude-ai call", this.#message, ++this.#count);
    this.#open.push(id);
    return id;
  }

  answered(): { readonly tool_use_id: string; readonly paired?: string } {
    const id = this.#open.shift();
    if (id !== undefined) return { tool_use_id: id, paired: "order" };
    return { tool_use_id: madeId("claude-ai result", this.#message, ++this.#count) };
  }
}

function blockOf(raw: Json, calls: Calls, sink: Sink): Block {
  const value = objectIn(raw);
  if (value === undefined)
    return typeof raw === "string" ? { type: "text", text: raw } : { type: "claude-ai_part", part: raw };
  const type = filledIn(value.type);
  switch (type) {
    case "text":
      return { type, text: textIn(value.text) ?? "", ...filledList("citations", value.citations) };
    case "thinking":
      return thinking(value);
    case "tool_use":
      return {
        type,
        id: filledIn(value.id) ?? calls.made(),
        name: filledIn(value.name) ?? "unknown",
        ...toolInput(value.input),
      };
    case "tool_result":
      return result(value, calls);
    default:
      if (type === undefined || !KEPT_TYPES.has(type)) sink.unknown(`block ${type ?? "none"}`);
      return keptBlock(type, value);
  }
}

/** Known types without an equivalent. */
const KEPT_TYPES: ReadonlySet<string> = new Set(["voice_note", "token_budget", "redacted_thinking", "flag"]);

function keptBlock(type: string | undefined, value: JsonObject): Block {
  const isWhole =
    (type === "redacted_thinking" && typeof value.data === "string") ||
    ((type === "image" || type === "document") && objectIn(value.source) !== undefined);
  return isWhole ? ({ ...value, type } as Block) : foreignBlock("claude-ai", type, value);
}

function thinking({ thinking: said, signature, summaries }: JsonObject): Block {
  const members = { ...defined({ signature: filledIn(signature) }), ...filledList("summaries", summaries) };
  return { type: "thinking", thinking: textIn(said) ?? "", ...members } as Block;
}

function result({ tool_use_id, content, is_error }: JsonObject, calls: Calls): Block {
  const id = filledIn(tool_use_id);
  return {
    type: "tool_result",
    ...(id === undefined ? calls.answered() : { tool_use_id: id }),
    ...resultContent(content),
    ...(is_error === true && { is_error }),
  };
}

function resultContent(content: Json | undefined): JsonObject {
  if (typeof content === "string") return { content };
  const blocks = objectsIn(content);
  if (blocks.length > 0) return { content: blocks.map(bare) };
  const only = objectIn(content);
  return only === undefined ? {} : { content: [bare(only)] };
}

/** Times and flags of single blocks are only in the record. */
function bare({ start_timestamp: _, stop_timestamp: __, flags: ___, ...own }: JsonObject): JsonObject {
  return own;
}

function filledList(name: string, value: Json | undefined): JsonObject {
  return listIn(value).length > 0 ? { [name]: value } : {};
}
