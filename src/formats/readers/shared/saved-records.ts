/** Records that wait for their continuation from one reading of a file to the next. */
import type { Json, JsonObject } from "../../../util/json.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { numberIn, objectIn, parsedIn, textIn } from "../../contract/values.ts";

/** The text alone, where there is one: it says what the value says. */
export function saveRecord({ value, line, offset, text }: SourceRecord): JsonObject {
  return { line, offset, ...(text === undefined ? { value } : { text }) };
}

export function loadRecord(saved: Json): SourceRecord | undefined {
  const record = objectIn(saved);
  const text = textIn(record?.text);
  const value = text === undefined ? record?.value : parsedIn(text);
  if (record === undefined || value === undefined) return undefined;
  return {
    value,
    line: numberIn(record.line) ?? null,
    offset: numberIn(record.offset) ?? null,
    ...(text === undefined ? {} : { text }),
  };
}

/** As JSON; `undefined` for what is nested too deeply to be written out. */
export function jsonText(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Larger states are not kept: reading the file again costs less than carrying them along. */
const STATE_CHARS_MAX = 256_000;

export function withinLimit(state: JsonObject): JsonObject | undefined {
  const text = jsonText(state);
  return text === undefined || text.length > STATE_CHARS_MAX ? undefined : state;
}
