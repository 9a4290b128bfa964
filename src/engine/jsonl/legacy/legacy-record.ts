/**
 * Converts a line of a legacy transcript to an entry.
 *
 * Three kinds of programs wrote such lines: `{role, content, timestamp}` with
 * or without `id` and `parent_id`, the same with `ts` and flat tool properties,
 * and bare messages of a model API. Files mix them, so every line is converted
 * separately, in the same way as by an import.
 */
import { lineTimeIn, readFlatLine, unreadOf } from "../../../message/apis/flat-line.ts";
import type { FlatTools } from "../../../message/apis/flat-tools.ts";
import { END_STATES, MESSAGE_RULES } from "../../../message/rules.ts";
import { checkMessage } from "../../../message/validate.ts";
import { assertJson, isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { objectIn, timeIn } from "../../../util/values.ts";

/** A line and what it says about its entry. */
export interface LegacyRecord {
  readonly line: JsonObject;
  readonly id: string | undefined;
  /** `undefined` if the line does not say. */
  readonly parentId: string | null | undefined;
  readonly operationId: string | undefined;
  readonly atMs: number | undefined;
}

/** The content of an entry. */
export interface LegacyBody {
  /** A message; anything else is kept whole, as `custom`. */
  readonly kind: "message" | "custom";
  readonly json: string;
  /** With `custom`. */
  readonly data: JsonObject | undefined;
  /** The message with the results that were beside an answer. */
  readonly results: string | undefined;
}

/** The record, or the reason why the line cannot become an entry. */
export function readRecord(text: string): LegacyRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (!isPlainObject(value)) return "not an object";
  try {
    assertJson(value, "line");
  } catch (error) {
    return (error as Error).message;
  }
  const line = value as JsonObject;
  const { id, parent_id, op } = line;
  return {
    line,
    id: isId(id) ? id : undefined,
    parentId: parent_id === null || isId(parent_id) ? parent_id : undefined,
    operationId: isId(op) ? op : undefined,
    atMs: lineTimeIn(line),
  };
}

/** Whether an object looks like a line of a legacy transcript. */
export function isRecord(value: unknown): boolean {
  if (!isPlainObject(value) || value.type !== undefined) return false;
  return (
    isMetadata(value) || (typeof value.role === "string" && ("content" in value || "tool_calls" in value))
  );
}

export function isMetadata(value: unknown): value is JsonObject {
  return isPlainObject(value) && value._type === "metadata";
}

const ID_BYTES_MAX = 256;

function isId(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && Buffer.byteLength(value) <= ID_BYTES_MAX;
}

/** Properties that belong to the entry and not to its message. */
const ENVELOPE: ReadonlySet<string> = new Set(["id", "parent_id", "op", "timestamp", "ts"]);

/** `id` is that of the entry. A line that the store would refuse as a message is kept as it is. */
export function readBody(line: JsonObject, id: string, tools: FlatTools): LegacyBody {
  try {
    if (line._type === undefined && line.role !== undefined) return messageBody(line, id, tools);
  } catch {
    // It is not a message.
  }
  return { kind: "custom", json: JSON.stringify(line), data: line, results: undefined };
}

/** Whether it is an optional property of our messages, with a value that they can have. */
function isOwn(name: string, value: Json | undefined): boolean {
  const rule = Object.hasOwn(MESSAGE_RULES, name) ? MESSAGE_RULES[name] : undefined;
  if (rule === "object") return isPlainObject(value);
  if (rule === "endState") return END_STATES.some((state) => state === value);
  return rule === "any" || (rule === "string" && typeof value === "string");
}

function messageBody(line: JsonObject, id: string, tools: FlatTools): LegacyBody {
  const foreign: Record<string, Json | undefined> = {};
  const own: Record<string, Json | undefined> = {};
  for (const [name, value] of Object.entries(line)) {
    const isUnreadTime = (name === "timestamp" || name === "ts") && timeIn(value) === undefined;
    if (ENVELOPE.has(name) && !isUnreadTime) continue;
    (isOwn(name, value) ? own : foreign)[name] = value;
  }
  const { message, results } = readFlatLine(line, id, tools, "flat");
  const flat = { ...unreadOf(foreign), ...objectIn(message.extra?.flat) };
  const extra = { ...(Object.keys(flat).length === 0 ? {} : { flat }), ...objectIn(own.extra) };
  const { extra: _extra, ...rest } = message;
  const whole = { ...own, ...rest, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
  const answer = results.length === 0 ? undefined : checkMessage({ role: "user", content: results }).json;
  return { kind: "message", json: checkMessage(whole).json, data: undefined, results: answer };
}
