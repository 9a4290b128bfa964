/**
 * Ids of other people's making, written so that they cannot become another part of a key.
 *
 * A percent sign in front of a hex digit is written `%25`, so that nothing but
 * this file makes such a sequence, and two ids never have one spelling.
 */
import { splitMark } from "./copies.ts";

/** As the last part of a key, where colons may stay. */
export function sealEnd(id: string): string {
  const escaped = id.replace(/%(?=[0-9a-f])/gi, "%25");
  const [plain, mark] = splitMark(escaped);
  // An id that ends like the mark of an older conversation would lead into that one.
  return mark === "" ? escaped : `${plain}%7e${escaped.slice(plain.length + 1)}`;
}

/** As one part among several. */
export function sealPart(id: string): string {
  return sealEnd(id).replaceAll(":", "%3a");
}

/** A name that is spelled like a word with a meaning in keys. */
export function sealWord(word: string): string {
  return `%${word.charCodeAt(0).toString(16)}${word.slice(1)}`;
}
