/** Reads values of unknown shape. */
import { isJsonObject, type Json, type JsonObject, parseJson } from "./json.ts";

export function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A string that is not empty. */
export function filledIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function listIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function objectsIn(value: unknown): JsonObject[] {
  return listIn(value).filter(isJsonObject);
}

/** Parsed JSON; `undefined` when the value is not valid JSON. */
export function parsedIn(text: unknown): Json | undefined {
  return typeof text === "string" ? parseJson(text) : undefined;
}

/** As JSON; `undefined` for a value that is nested too deeply. */
export function jsonText(value: Json): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const SECONDS_MAX = 1e11;
const TIME_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A time of a source in epoch milliseconds. Sources write ISO 8601 with any
 * number of decimals and any offset, epoch seconds (also with decimals) or
 * epoch milliseconds, either of them also as strings.
 */
export function timeIn(value: unknown): number | undefined {
  if (typeof value === "number") return epochIn(value);
  if (typeof value !== "string" || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return epochIn(Number(value));
  if (!/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  // UTC unless an offset says otherwise, so that a file means the same times on every machine.
  const isZoned = value.length <= 10 || /(?:Z|[+-]\d\d:?\d\d)$/i.test(value);
  return inRange(Date.parse(isZoned ? value : `${value}Z`));
}

/** Milliseconds since 1973 have more than eleven digits; seconds will not before the year 5138. */
function epochIn(value: number): number | undefined {
  return inRange(Math.round(Math.abs(value) < SECONDS_MAX ? value * 1000 : value));
}

function inRange(ms: number): number | undefined {
  return ms >= 0 && ms <= TIME_MAX_MS ? ms : undefined;
}
