import { invalid } from "../errors.ts";

/** The most that a session key may have, in UTF-8. */
export const KEY_BYTES_MAX = 512;

/** Require a string without control characters and lone surrogates: no file name, URL or terminal can hold those. */
export function checkText(value: unknown, field: string, what: string): string {
  if (typeof value !== "string") throw invalid(`Invalid ${what}: expected a string`, field);
  if (!value.isWellFormed() || hasControl(value)) {
    throw invalid(`Invalid ${what}: it contains control characters or half a surrogate pair`, field);
  }
  return value;
}

export function checkBytes(text: string, bytesMax: number, field: string, what: string): string {
  // A UTF-16 unit is at most three bytes of UTF-8, so most strings need no counting.
  if (text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax) {
    throw invalid(`Invalid ${what}: longer than ${bytesMax} bytes`, field);
  }
  return text;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
