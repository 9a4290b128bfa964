/** Converts the content of a message to blocks that the store accepts. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block } from "../../../message/types.ts";
import { isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, listIn, objectIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";

/** The file of a long tool result, given its preview and the id of its call. */
export type OutputFile = (preview: string, toolUse: string) => string | undefined;

/** `id` is the id of the message. Calls without an id get one made from it. */
export function contentOf(content: Json | undefined, id: string, outputFile: OutputFile): string | Block[] {
  if (typeof content === "string") return content;
  return listIn(content).map((block, index) => blockOf(block, madeIdOf(id, index), outputFile));
}

function madeIdOf(id: string, index: number): () => string {
  return () => madeId("claude-code", id, index);
}

function blockOf(value: Json, makeId: () => string, outputFile: OutputFile): Block {
  if (typeof value === "string") return { type: "text", text: value };
  const block = objectIn(value);
  if (block === undefined || filledIn(block.type) === undefined) return { type: "unknown", value };
  if (block.type === "tool_use") return toolUse(block, makeId);
  if (block.type === "tool_result") return toolResult(block, outputFile);
  return isSound(block) ? (block as Block) : { type: "unknown", value: block };
}

const REQUIRED: Readonly<Record<string, readonly [member: string, type: "string" | "object"]>> = {
  text: ["text", "string"],
  image: ["source", "object"],
  document: ["source", "object"],
  thinking: ["thinking", "string"],
  redacted_thinking: ["data", "string"],
};

function isSound(block: JsonObject): boolean {
  const required = Object.hasOwn(REQUIRED, String(block.type)) ? REQUIRED[String(block.type)] : undefined;
  if (required === undefined) return true;
  const [member, type] = required;
  return type === "string" ? typeof block[member] === "string" : isPlainObject(block[member]);
}

function toolUse(block: JsonObject, makeId: () => string): Block {
  return {
    ...block,
    type: "tool_use",
    id: filledIn(block.id) ?? makeId(),
    name: filledIn(block.name) ?? "unknown",
    ...toolInput(block.input),
  };
}

function toolResult(block: JsonObject, outputFile: OutputFile): Block {
  const id = filledIn(block.tool_use_id);
  if (id === undefined) return { type: "unknown", value: block };
  return { ...block, type: "tool_result", tool_use_id: id, content: resultOf(block.content, id, outputFile) };
}

function resultOf(content: Json | undefined, id: string, outputFile: OutputFile): string | JsonObject[] {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") {
    const block = textBlock(content, id, outputFile);
    return block.source === undefined ? content : [block];
  }
  if (!Array.isArray(content)) return [{ type: "unknown", value: content }];
  return content.map((item) => {
    const text = textIn(item) ?? (objectIn(item)?.type === "text" ? textIn(objectIn(item)?.text) : undefined);
    const whole = objectIn(item) ?? { type: "unknown", value: item };
    return text === undefined ? whole : { ...objectIn(item), ...textBlock(text, id, outputFile) };
  });
}

function textBlock(text: string, id: string, outputFile: OutputFile): JsonObject {
  const name = outputFile(text, id);
  return { type: "text", text, ...(name === undefined ? {} : { source: { type: "file", name } }) };
}
