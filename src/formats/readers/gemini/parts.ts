/** Converts content of Gemini, a string or a list of parts, to blocks. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, jsonText, listIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";

/** `id` is the id of the message. Calls without an id get one made from it. */
export function blocksOf(content: Json | undefined, id: string): Block[] {
  const parts = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content];
  return parts.map((part, index) => blockOf(part, madeId("gemini", id, "part", index)));
}

function blockOf(part: Json, spareId: string): Block {
  if (typeof part === "string") return { type: "text", text: part };
  const { text, thought, inlineData, functionCall, functionResponse } = objectIn(part) ?? {};
  if (typeof text === "string") return thought === true ? thinking(text, part) : { type: "text", text };
  const [data, call, response] = [inlineData, functionCall, functionResponse].map(objectIn);
  return (
    (data && mediaOf(data)) ??
    (call && toolUse(filledIn(call.id) ?? spareId, call.name, call.args)) ??
    (response && responseOf(response, spareId)) ?? { type: partType(part), value: part }
  );
}

function thinking(text: string, part: Json): Block {
  const signature = filledIn(objectIn(part)?.thoughtSignature);
  return { type: "thinking", thinking: text, ...(signature === undefined ? {} : { signature }) };
}

function mediaOf({ mimeType, data }: JsonObject): Block | undefined {
  const type = textIn(mimeType) ?? "";
  if (typeof data !== "string") return undefined;
  const source = { type: "base64", media_type: type, data };
  if (type.startsWith("image/")) return { type: "image", source };
  return type === "application/pdf" ? { type: "document", source } : undefined;
}

export function toolUse(id: string, name: Json | undefined, args: Json | undefined): Block {
  return { type: "tool_use", id, name: filledIn(name) ?? "unknown", ...toolInput(args) };
}

function responseOf(response: JsonObject, spareId: string): Block {
  const id = filledIn(response.id);
  const { error } = objectIn(response.response) ?? {};
  return {
    type: "tool_result",
    tool_use_id: id ?? spareId,
    content: outputOf(response),
    ...(error !== undefined && { is_error: true }),
  };
}

/** The text of a response, or all of it as JSON if it has more than a text. */
function outputOf({ response }: JsonObject): string {
  const { output, error, ...others } = objectIn(response) ?? {};
  const text = output === undefined ? error : error === undefined ? output : undefined;
  if (typeof text === "string" && Object.keys(others).length === 0) return text;
  return response === undefined ? "" : (jsonText(response) ?? "");
}

/** The result of a tool, without the envelope for the model. */
export function resultContent(result: Json | undefined, id: string): string | JsonObject[] {
  const blocks = blocksOf(result, id).flatMap((block): JsonObject[] =>
    block.type === "tool_result" ? [{ type: "text", text: String(block.content) }] : [block],
  );
  const [first] = blocks;
  return blocks.length === 1 && first?.type === "text" ? String(first.text) : blocks;
}

export function isFailed(result: Json | undefined): boolean {
  return listIn(result).some((part) => {
    const response = objectIn(objectIn(objectIn(part)?.functionResponse)?.response);
    return response?.error !== undefined;
  });
}

/** The calls whose results a message contains. */
export function answeredBy({ content, toolCalls }: JsonObject): string[] {
  const calls = objectsIn(toolCalls).filter(({ result }) => result !== undefined && result !== null);
  return [...answeredIn(content), ...calls.flatMap(({ id }) => filledIn(id) ?? [])];
}

/** Whether a message of the user is nothing but results of these calls. */
export function onlyAnswers({ type, content }: JsonObject, calls: ReadonlySet<string>): boolean {
  const answered = answeredIn(content);
  const isAll = type === "user" && answered.length > 0 && answered.length === listIn(content).length;
  return isAll && answered.every((id) => calls.has(id));
}

/** The calls that a user message answers. */
function answeredIn(content: Json | undefined): string[] {
  return listIn(content).flatMap((part) => filledIn(objectIn(objectIn(part)?.functionResponse)?.id) ?? []);
}

const PARTS: ReadonlySet<string> = new Set([
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["executableCode", "codeExecutionResult"],
]);

function partType(part: Json): string {
  return Object.keys(objectIn(part) ?? {}).find((member) => PARTS.has(member)) ?? "unknown";
}

/** The unknown kinds of part, as they appear in the report. */
export function unknownParts(content: Json | undefined): string[] {
  return listIn(content).flatMap((part) => {
    const members = Object.keys(objectIn(part) ?? {});
    const isKnown = typeof part === "string" || members.some((member) => PARTS.has(member));
    return isKnown ? [] : [`part ${members[0] ?? "(empty)"}`];
  });
}
