/**
 * Escape foreign ids, so that they cannot be read as another part of a key.
 *
 * A percent sign before a hex digit is written `%25`, so that only this file
 * produces such a sequence, and no two ids are written the same.
 */
import { splitMark } from "./copies.ts";

/** Escape the last part of a key, which may contain colons. */
export function sealEnd(id: string): string {
  const escaped = id.replace(/%(?=[0-9a-f])/gi, "%25");
  const [plain, mark] = splitMark(escaped);
  // An id that ends like the mark of an older conversation would address that one.
  return mark === "" ? escaped : `${plain}%7e${escaped.slice(plain.length + 1)}`;
}

/** Escape one part among several. */
export function sealPart(id: string): string {
  return sealEnd(id).replaceAll(":", "%3a");
}

/** Escape a name that is a reserved word in keys. */
export function sealWord(word: string): string {
  return `%${word.charCodeAt(0).toString(16)}${word.slice(1)}`;
}
