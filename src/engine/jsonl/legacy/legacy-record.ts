/**
 * Converts a line of a legacy transcript to an entry.
 *
 * Three kinds of programs wrote such lines: `{role, content, timestamp}` with
 * or without `id` and `parent_id`, the same with `ts` and flat tool properties,
 * and bare messages of a model API. The format is detected for each line, because
 * files mix them.
 */
import { fromClaude } from "../../../message/apis/anthropic.ts";
import { fromFlat } from "../../../message/apis/flat.ts";
import { fromOpenAI } from "../../../message/apis/openai.ts";
import type { MessageInput } from "../../../message/types.ts";
import { checkMessage } from "../../../message/validate.ts";
import { assertJson, isPlainObject, type Json, type JsonObject } from "../../../util/json.ts";
import { parseTime } from "../../../util/time.ts";

export interface LegacyRecord {
  /** A message; anything else is kept whole, as `custom`. */
  readonly kind: "message" | "custom";
  readonly json: string;
  /** With `custom`. */
  readonly data: JsonObject | undefined;
  readonly id: string | undefined;
  /** `undefined` if the line does not say. */
  readonly parentId: string | null | undefined;
  readonly operationId: string | undefined;
  readonly atMs: number | undefined;
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
  return { ...envelopeOf(value as JsonObject), ...bodyOf(value as JsonObject) };
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

/** Accepts ISO 8601, and seconds or milliseconds since 1970. */
export function timeIn(value: unknown): number | undefined {
  if (typeof value !== "number") return parseTime(value);
  if (!Number.isFinite(value) || value <= 0) return undefined;
  const ms = Math.trunc(value < SECONDS_MAX ? value * 1000 : value);
  return ms <= TIME_MAX ? ms : undefined;
}

const SECONDS_MAX = 1e11;
const TIME_MAX = Date.UTC(9999, 11, 31);
const ID_BYTES_MAX = 256;

function envelopeOf(line: JsonObject): Pick<LegacyRecord, "id" | "parentId" | "operationId" | "atMs"> {
  const { id, parent_id, op } = line;
  return {
    id: isId(id) ? id : undefined,
    parentId: parent_id === null || isId(parent_id) ? parent_id : undefined,
    operationId: isId(op) ? op : undefined,
    atMs: timeIn(line.timestamp) ?? timeIn(line.ts),
  };
}

function isId(value: Json | undefined): value is string {
  return typeof value === "string" && value !== "" && Buffer.byteLength(value) <= ID_BYTES_MAX;
}

function bodyOf(line: JsonObject): Pick<LegacyRecord, "kind" | "json" | "data"> {
  const message = messageOf(line);
  if (message !== undefined) return { kind: "message", json: message, data: undefined };
  return { kind: "custom", json: JSON.stringify(line), data: line };
}

/** Properties that belong to the entry and not to its message. */
const ENVELOPE: ReadonlySet<string> = new Set(["id", "parent_id", "op", "timestamp", "ts"]);
/** Optional properties of a message. */
const OWN: ReadonlySet<string> = new Set([
  "model",
  "usage",
  "stopReason",
  "endState",
  "provenance",
  "source",
  "extra",
]);

function messageOf(line: JsonObject): string | undefined {
  if (line._type !== undefined) return undefined;
  const foreign: Record<string, Json | undefined> = {};
  const own: Record<string, Json | undefined> = {};
  for (const [member, value] of Object.entries(line)) {
    const isUnreadTime = (member === "timestamp" || member === "ts") && timeIn(value) === undefined;
    if (ENVELOPE.has(member) && !isUnreadTime) continue;
    (OWN.has(member) ? own : foreign)[member] = value;
  }
  try {
    const [message, ...more] = converted(foreign);
    // A record that converts to no message, or to several, is kept unconverted.
    if (message === undefined || more.length > 0) return undefined;
    const extra = { ...(message.extra ?? {}), ...(isPlainObject(own.extra) ? own.extra : {}) };
    const { at: _, id: __, ...rest } = message;
    const whole = { ...own, ...rest, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
    return checkMessage(whole).json;
  } catch {
    return undefined;
  }
}

function converted(line: JsonObject): MessageInput[] {
  const { role, content, tool_calls: calls } = line;
  if (role === "tool" || role === "function" || role === "developer") return fromOpenAI([line]);
  if (Array.isArray(content)) return fromClaude([line]);
  if (Object.keys(line).length === 2 && typeof content === "string")
    return [{ role, content } as unknown as MessageInput];
  // Some programs omit the content of an answer that is only a call.
  return fromFlat([content === null || (content === undefined && calls) ? { ...line, content: "" } : line]);
}
