/** A call of a tool in opencode: one part that grows until it has its result. */

import { toolInput } from "../../../message/tool-input.ts";
import type { Block } from "../../../message/types.ts";
import { defined, type Json, type JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn, objectsIn, textIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import { contentOf } from "../shared/whole-tree-blocks.ts";
import type { Item } from "../shared/whole-tree-parts.ts";
import { fileBlockOf } from "./file.ts";

interface CallItems {
  readonly use: Item;
  /** Empty while the tool has not ended. */
  readonly results: readonly Item[];
}

export function callItems(part: JsonObject, message: string, index: number): CallItems | undefined {
  const call = part.type === "tool-invocation" ? oldCall(part) : part;
  if (call.type !== "tool") return undefined;
  const state = objectIn(call.state) ?? {};
  const id = filledIn(call.callID) ?? madeId("opencode call", message, filledIn(part.id) ?? index);
  const name = filledIn(call.tool) ?? filledIn(call.name) ?? "unknown";
  const use: Block = { type: "tool_use", id, name, ...toolInput(state.input ?? state.raw) };
  const result = resultOf(id, name, state);
  if (result === undefined) return { use: { block: use, raw: part }, results: [] };
  return { use: { block: use, raw: part }, results: [{ block: result, raw: part }] };
}

function resultOf(id: string, name: string, state: JsonObject): Block | undefined {
  if (state.status === "error") {
    return { type: "tool_result", tool_use_id: id, content: errorText(state.error), is_error: true };
  }
  if (state.status !== "completed") return undefined;
  const content = contentOf(outputBlocks(state));
  const isError = isFailure(name, state);
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content !== "" && { content }),
    ...(isError && { is_error: true }),
  };
}

function errorText(error: Json | undefined): string {
  return textIn(error) ?? textIn(objectIn(error)?.message) ?? "";
}

/** Failed commands and unknown tools are recorded as completed. */
function isFailure(name: string, { metadata, structured }: JsonObject): boolean {
  const exit = numberIn(objectIn(metadata)?.exit) ?? numberIn(objectIn(structured)?.exit);
  return name === "invalid" || (exit !== undefined && exit !== 0);
}

function outputBlocks({ output, content, attachments }: JsonObject): Block[] {
  const said =
    textIn(output) ?? (output === undefined || output === null ? undefined : JSON.stringify(output));
  const blocks: Block[] = said === undefined || said === "" ? [] : [{ type: "text", text: said }];
  for (const item of objectsIn(content)) {
    blocks.push(item.type === "text" ? { type: "text", text: textIn(item.text) ?? "" } : fileBlockOf(item));
  }
  return [...blocks, ...objectsIn(attachments).map(fileBlockOf)];
}

/** The form of the first versions. */
function oldCall({ toolInvocation }: JsonObject): JsonObject {
  const { toolCallId, toolName, args, result, state } = objectIn(toolInvocation) ?? {};
  const status = state === "result" ? "completed" : "running";
  return defined({
    type: "tool",
    callID: toolCallId,
    tool: toolName,
    state: defined({ status, input: args, output: result }),
  });
}
