/** Counts the values in a JSON text before it is parsed, because each takes many times its length in memory. */

/** More than any record of a tool has: a conversation of 20,000 messages in one object. */
export const VALUES_MAX = 500_000;

export const TOO_MANY: string = `has more than ${VALUES_MAX.toLocaleString("en")} values, and was not parsed`;

const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const OBJECT = 0x7b;

/** The values of a text outside of its strings, by the signs that come before them. */
export interface ValueCount {
  /** Those after a comma. Not counted beyond the limit. */
  readonly listed: number;
  /** Those that begin with a bracket. */
  readonly opened: number;
}

export function valuesIn(text: string): ValueCount {
  let [listed, opened] = [0, 0];
  for (let at = 0; at < text.length && listed < VALUES_MAX; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === COMMA) listed++;
    else if (code === OBJECT || code === ARRAY) opened++;
  }
  return { listed, opened };
}

/** Of a text with room for more than the limit; others are not looked at. */
export function excessIn(text: string): "listed" | "opened" | undefined {
  if (text.length <= VALUES_MAX) return undefined;
  const { listed, opened } = valuesIn(text);
  if (listed >= VALUES_MAX) return "listed";
  return opened > VALUES_MAX ? "opened" : undefined;
}

/** The closing quote, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
