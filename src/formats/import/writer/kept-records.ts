/**
 * The records that an entry was made of, kept beside it.
 *
 * Most of a record is text that the message holds anyway. Such a string is
 * replaced by `{ "$same": path }`, its path in the message, so that nothing is
 * stored twice and the record can still be restored completely.
 */

import type { Message } from "../../../message/types.ts";
import { checkObject } from "../../../util/checked-arguments.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";

/** A reference to a shorter string would be longer than the string. */
const SAME_CHARS_MIN = 48;
/** Entries may be 64 levels deep, some of them ours. Deeper records are kept as text. */
const DEPTH_MAX = 48;

type Path = readonly (string | number)[];
type Known = ReadonlyMap<string, Path>;

/** A stored record: its value, or its text where the value would not be exact. */
export type KeptRecord = JsonObject;

/** A record that could not be used, and why. */
export interface DamagedRecord extends Omit<SourceRecord, "value"> {
  readonly reason: string;
}

/** The values of kept records are JSON of limited depth. */
export function keepRecords(
  records: readonly SourceRecord[],
  content: Message["content"] | undefined,
): KeptRecord[] {
  const known = content === undefined ? NOTHING : longTexts(content);
  return records.map((record) => keepRecord(record, known));
}

const NOTHING: Known = new Map();

function keepRecord(record: SourceRecord, known: Known): KeptRecord {
  const { line, offset, value, text } = record;
  const place = { ...(line === null ? {} : { line }), ...(offset === null ? {} : { offset }) };
  if (text === undefined || isExact(text)) {
    try {
      return { ...place, record: slim(value, known, 0) };
    } catch (error) {
      if (!(error instanceof TooOdd)) throw error;
    }
  }
  return { ...place, text: text ?? JSON.stringify(value) };
}

export function keepDamaged({ line, offset, text, reason }: DamagedRecord): KeptRecord {
  return {
    ...(line === null ? {} : { line }),
    ...(offset === null ? {} : { offset }),
    ...(text === undefined ? {} : { text }),
    damaged: reason,
  };
}

/** The original value of a record, or its text when that is not JSON. */
export function restoreRecord(kept: KeptRecord, message: Message | undefined): Json {
  checkObject(kept, "kept");
  if (kept.record !== undefined) return fatten(kept.record, message);
  const text = typeof kept.text === "string" ? kept.text : "";
  if (kept.damaged !== undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Nested too deeply, or with a property name that must not be set. */
class TooOdd extends Error {}

function slim(value: Json, known: Known, depth: number): Json {
  if (typeof value === "string") {
    const path = value.length < SAME_CHARS_MIN ? undefined : known.get(value);
    return path === undefined ? value : { $same: path };
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) throw new TooOdd();
  if (Array.isArray(value)) return slimList(value, known, depth);
  return slimObject(value as JsonObject, known, depth);
}

function slimList(list: readonly Json[], known: Known, depth: number): Json {
  let copy: Json[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as Json;
    const slimmed = slim(item, known, depth + 1);
    if (slimmed === item) continue;
    copy ??= [...list];
    copy[index] = slimmed;
  }
  return copy ?? list;
}

function slimObject(value: JsonObject, known: Known, depth: number): Json {
  let copy: Record<string, Json> | undefined;
  for (const member of Object.keys(value)) {
    if (member === "__proto__") throw new TooOdd();
    const inner = value[member] as Json;
    const slimmed = slim(inner, known, depth + 1);
    if (slimmed === inner) continue;
    copy ??= { ...value } as Record<string, Json>;
    copy[member] = slimmed;
  }
  const result = copy ?? value;
  return "$same" in value || "$literal" in value ? { $literal: result } : result;
}

function fatten(value: Json, message: Message | undefined): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => fatten(item, message));
  const object = value as JsonObject;
  if (isJsonObject(object.$literal)) return fattenMembers(object.$literal, message);
  if (Array.isArray(object.$same)) return textAt(message?.content, object.$same as Path);
  return fattenMembers(object, message);
}

function fattenMembers(object: JsonObject, message: Message | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([member, inner]) => [member, fatten(inner as Json, message)]),
  );
}

function textAt(content: unknown, path: Path): string {
  let place = content;
  for (const step of path) place = (place as Record<string | number, unknown> | undefined)?.[step];
  return typeof place === "string" ? place : "";
}

function longTexts(content: Message["content"]): Known {
  const found = new Map<string, Path>();
  collect(content as Json, [], found);
  return found;
}

function collect(value: Json, path: Path, found: Map<string, Path>): void {
  if (typeof value === "string") {
    if (value.length >= SAME_CHARS_MIN && !found.has(value)) found.set(value, path);
  } else if (Array.isArray(value)) {
    value.forEach((item: Json, index) => {
      if (typeof item === "object" || typeof item === "string") collect(item, [...path, index], found);
    });
  } else if (typeof value === "object" && value !== null) {
    for (const [member, inner] of Object.entries(value)) {
      if (typeof inner === "object" || typeof inner === "string") {
        collect(inner as Json, [...path, member], found);
      }
    }
  }
}

/** Numbers that a double may not hold exactly: many digits, or an exponent. Strings may match too. */
const ODD_NUMBER = /[:,[]\s*-?(?:\d{16}|\d[\d.]{0,30}[eE])/;

/** Whether parsing lost no precision. Hardly any text has to be parsed a second time for it. */
function isExact(text: string): boolean {
  if (!ODD_NUMBER.test(text)) return true;
  let exact = true;
  JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === "number" && context?.source !== undefined) {
      exact &&= isSameNumber(value, context.source);
    }
    return value;
  });
  return exact;
}

function isSameNumber(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isFinite(value) && BigInt(source) === BigInt(value);
  return Number.isFinite(value);
}
