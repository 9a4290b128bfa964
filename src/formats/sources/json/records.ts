/** The JSON values of one line. */
import type { Json } from "../../../util/json.ts";
import { parsedIn } from "../../../util/values.ts";
import type { ParsedRecords } from "../types.ts";
import { scanValue, TOO_DEEP } from "./scan-value.ts";
import { excessIn, TOO_MANY, VALUES_MAX, valuesIn } from "./value-count.ts";

/** Deeper values are refused: code that recurses into them would run out of stack. */
const DEPTH_MAX = 1000;

/** Shorter texts cannot be nested as deeply. */
const DEEP_CHARACTERS = 2 * DEPTH_MAX;

/**
 * Usually a line is one value. Two writers at once, or one that was killed,
 * leave lines with several values or with half of one before the next: every
 * complete value is found, and the rest is reported. Takes time in proportion
 * to the length of the text, whatever it holds.
 */
export function parseRecords(text: string): ParsedRecords {
  const excess = excessIn(text);
  if (excess === "listed") return refused(text, TOO_MANY);
  // Too deep, or many values one after another, of which the first can be had.
  if (excess === "opened") return recovered(text);
  try {
    const value: Json = JSON.parse(text);
    if (text.length > DEEP_CHARACTERS && isDeeper(value, DEPTH_MAX)) return refused(text, TOO_DEEP);
    return { values: [{ value, text, start: 0 }] };
  } catch (error) {
    return error instanceof RangeError ? refused(text, TOO_DEEP) : recovered(text);
  }
}

function refused(text: string, reason: string): ParsedRecords {
  return { values: [], rest: { text, reason } };
}

/** One value of a source that is not read by its lines or elements; `undefined` where it is not valid or too large. */
export function parsedValue(text: unknown): Json | undefined {
  return typeof text === "string" && excessIn(text) === undefined ? parsedIn(text) : undefined;
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true;
    return false;
  }
  for (const member in value) if (isDeeper((value as never)[member], levels - 1)) return true;
  return false;
}

/** Allowed between two values: white space, commas, and the NUL bytes of a power cut. */
const BETWEEN = /[\s,\0\ufeff]*/y;

/** How a record begins. Beside others, a number or word is not a record. */
const RECORD = /[{[]/;

function recovered(text: string): ParsedRecords {
  const values: { value: Json; text: string; start: number }[] = [];
  const bad: string[] = [];
  let reason = "";
  // A lost quote hides values from the count of the whole text.
  let room = VALUES_MAX;
  for (let at = behindGap(text, 0); at < text.length; at = behindGap(text, at)) {
    const found = RECORD.test(text[at] as string)
      ? scanValue(text, at, DEPTH_MAX)
      : { end: at, error: "not valid JSON" };
    const part = text.slice(at, found.end);
    const { listed, opened } = found.error === undefined ? valuesIn(part) : { listed: 0, opened: 1 };
    room -= Math.max(1, listed, opened);
    if (room < 0) {
      bad.push(text.slice(at));
      reason ||= TOO_MANY;
      break;
    }
    if (found.error === undefined) {
      values.push({ value: JSON.parse(part), text: part, start: at });
      at = found.end;
    } else {
      const next = found.error === TOO_DEEP ? text.length : nextBeginning(text, at, found.end);
      bad.push(text.slice(at, next));
      reason ||= found.error;
      at = next;
    }
  }
  return bad.length === 0 ? { values } : { values, rest: { text: bad.join("\n"), reason } };
}

function behindGap(text: string, at: number): number {
  BETWEEN.lastIndex = at;
  BETWEEN.test(text);
  return BETWEEN.lastIndex;
}

/**
 * The beginning of the next value after one that is damaged at `error`.
 *
 * A record that was cut, with the next one written after it, is damaged
 * where that begins, or two characters later when the cut was inside of a
 * string, which then ends with the first quote of the next. An object further
 * on is more likely a part of the damaged record than a record.
 */
function nextBeginning(text: string, at: number, error: number): number {
  if (error > at && text[error] === "{") return error;
  if (error - 2 > at && text.startsWith('{"', error - 2)) return error - 2;
  // An unterminated string, in a file where each record starts a line.
  if (text[error] === "\n") return placeOf("{", text, text.indexOf("\n{", error));
  // The text before the value was not JSON, such as a line of a log.
  return error === at ? placeOf("{", text, text.indexOf('{"', at + 1)) : text.length;
}

function placeOf(sign: string, text: string, from: number): number {
  return from === -1 ? text.length : text.indexOf(sign, from);
}
