import { invalid } from "../errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json | undefined;
}

/** Deeper values are refused, because every reader of the file must be able to walk them. */
export const JSON_DEPTH_MAX = 64;

/**
 * Check that a value survives `JSON.stringify` and `JSON.parse` unchanged.
 *
 * Refused: `undefined`, functions, symbols, BigInt, NaN and infinities, class
 * instances (a `Date` would come back as a string), holes in arrays, cycles, a
 * property called `__proto__`, and nesting beyond 64 levels. Allowed and
 * defined: `-0` is stored as `0`, integers beyond 2^53 as the double they
 * are, lone surrogates as `\ud800` escapes.
 */
export function assertJson(value: unknown, path: string, depth = 0): asserts value is Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) throw invalid(`${path} is ${value}, which JSON cannot hold`, path);
      return;
    case "object":
      break;
    default:
      throw invalid(`${path} is ${describe(value)}, which JSON cannot hold`, path);
  }
  if (value === null) return;
  // A cycle is unbounded depth, so one check finds both.
  if (depth >= JSON_DEPTH_MAX) {
    throw invalid(`${path} is nested deeper than ${JSON_DEPTH_MAX} levels, or contains itself`, rootOf(path));
  }
  if (Array.isArray(value)) {
    refuseToJson(value, path);
    for (let index = 0; index < value.length; index++) {
      assertJson(value[index], `${path}[${index}]`, depth + 1);
    }
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw invalid(`${path} is ${describe(value)}, which JSON cannot hold`, path);
  }
  refuseToJson(value, path);
  for (const member of Object.keys(value)) {
    if (member === "__proto__") throw invalid(`${path} has a property called __proto__`, path);
    assertJson((value as Record<string, unknown>)[member], `${path}.${member}`, depth + 1);
  }
}

/** `JSON.stringify` would write the result of `toJSON`, which was not checked. */
function refuseToJson(value: object, path: string): void {
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    throw invalid(`${path} has a toJSON method, so something else would be stored`, path);
  }
}

function rootOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function describe(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "object") return `an instance of ${value?.constructor?.name ?? "a class"}`;
  return `a ${typeof value}`;
}

/** Whether a value is an object as `{}` or `JSON.parse` creates it, not an array or `null`. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The same for a value that is known to be JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

/** The properties that have a value. */
export function defined<T extends object>(
  properties: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const set = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
}

/** `defined`, or `undefined` when no property has a value. */
export function someDefined<T extends object>(properties: T): ReturnType<typeof defined<T>> | undefined {
  const set = defined(properties);
  return Object.keys(set).length === 0 ? undefined : set;
}

/** Parsed JSON; `undefined` when the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value, or `""` when it is not a string. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A finite number that is not negative, such as a count or a time in milliseconds since 1970. */
export function isNonNegative(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
