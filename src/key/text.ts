import { checkBytes, checkText, KEY_BYTES_MAX } from "../util/checked-text.ts";

/** A key or a part of one: each character in its one normal form, without surrounding white space. */
export function cleanText(value: unknown, field: string): string {
  return checkKeyBytes(checkText(value, field, field).normalize("NFC").trim(), field);
}

export function checkKeyBytes(text: string, field: string): string {
  return checkBytes(text, KEY_BYTES_MAX, field, field);
}
