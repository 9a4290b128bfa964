/**
 * A line of a plain transcript: text, with thinking, calls `{ id, name, params }`,
 * results and media beside it. Results may also be separate lines.
 *
 * An import and a store that reads such a file in place both convert it here, so
 * that a model is given the same.
 */
import { defined, type Json, type JsonObject } from "../../util/json.ts";
import { madeId } from "../../util/uuid.ts";
import { filledIn, objectsIn, timeIn } from "../../util/values.ts";
import type { Block, Message } from "../types.ts";
import { contentWith, type FlatTools, listOf, mediaBlock, roleOf, thinkingBlocks } from "./flat-tools.ts";

export interface FlatLine {
  readonly message: Message;
  /** Results beside an answer: the user's next message. */
  readonly results: readonly Block[];
}

const RESULT_ROLES: ReadonlySet<unknown> = new Set(["tool", "function", "toolResult"]);
const KNOWN_ROLES: ReadonlySet<unknown> = new Set([
  ...["user", "assistant", "system", "developer"],
  ...RESULT_ROLES,
]);

export function isKnownRole(role: unknown): boolean {
  return KNOWN_ROLES.has(role);
}

/** `format` is the property of `extra` that holds a role we do not have. */
export function readFlatLine(line: JsonObject, entryId: string, tools: FlatTools, format: string): FlatLine {
  const { role, other } = roleOf(line.role);
  const media = listOf(line.media).map(mediaBlock);
  const beside = {
    ...defined({ model: filledIn(line.model_id) ?? filledIn(line.model) }),
    ...(other === undefined ? {} : { extra: { [format]: { role: other } } }),
  };
  if (RESULT_ROLES.has(line.role)) {
    const result = tools.resultMessage(line);
    return { message: { role: "user", content: [result, ...media], ...beside }, results: [] };
  }
  const calls = listOf(line.tool_calls).map((call, index) =>
    tools.call(call, madeId(entryId, "call", index)),
  );
  const results = listOf(line.tool_results).map((result) => tools.result(result));
  const thinking = thinkingBlocks(line.thinking ?? line.thinking_content);
  const after = [...media, ...calls, ...(role === "assistant" ? [] : results)];
  const content = contentWith(line.content, thinking, after);
  return { message: { role, content, ...beside }, results: role === "assistant" ? results : [] };
}

/** When a line was written, in epoch milliseconds. */
export function lineTimeIn({ timestamp, ts }: JsonObject): number | undefined {
  return timeIn(timestamp) ?? timeIn(ts);
}

/** The id of the message that holds the results beside an answer. */
export function resultsId(entryId: string): string {
  return madeId(entryId, "results");
}

const TEXTS: ReadonlySet<string> = new Set(["thinking", "thinking_content", "model_id", "model"]);
const LISTS: ReadonlySet<string> = new Set(["tool_calls", "tool_results"]);
const OF_RESULT: ReadonlySet<string> = new Set([
  ...["tool_use_id", "tool_call_id", "call_id", "is_error", "success"],
]);

/** The properties of a line that its message does not hold, or not whole. */
export function unreadOf(line: JsonObject): JsonObject {
  const isResult = RESULT_ROLES.has(line.role);
  const isRead = ([name, value]: readonly [string, Json | undefined]): boolean => {
    if (name === "role" || value === undefined) return true;
    if (name === "content") return value === null || typeof value === "string" || isResult || isList(value);
    if (name === "media") return isList(value);
    if (OF_RESULT.has(name)) return isResult;
    if (name === "model" || name === "model_id") return typeof value === "string";
    if (isResult) return false;
    return (TEXTS.has(name) && typeof value === "string") || (LISTS.has(name) && isList(value));
  };
  return Object.fromEntries(Object.entries(line).filter((property) => !isRead(property)));
}

/** Whether every element was read. */
function isList(value: Json): boolean {
  if (typeof value === "string") return listOf(value).length > 0;
  return Array.isArray(value) && objectsIn(value).length === value.length;
}
