import { invalid } from "../errors.ts";

/** As long as a key may be in the store. */
const KEY_BYTES_MAX = 512;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Text of a key or of a part of it: one spelling of each character, no space around it. */
export function cleanText(value: unknown, field: string): string {
  if (typeof value !== "string") throw invalid(`Invalid ${field}: text is expected`, field);
  if (!value.isWellFormed() || CONTROL.test(value)) {
    throw invalid(`Invalid ${field}: it has control characters or half a surrogate pair`, field);
  }
  return checkBytes(value.normalize("NFC").trim(), field);
}

export function checkBytes(text: string, field: string): string {
  // No text has more bytes than three times its units, so that most need no counting.
  if (text.length * 3 > KEY_BYTES_MAX && Buffer.byteLength(text) > KEY_BYTES_MAX) {
    throw invalid(`Invalid ${field}: longer than ${KEY_BYTES_MAX} bytes`, field);
  }
  return text;
}
