/** Counts the values in a JSON text before it is parsed, because each takes many times its length in memory. */

/** More than any record of a tool has: a conversation of 20,000 messages in one object. */
const VALUES_MAX = 500_000;

export const TOO_MANY: string = `has more than ${VALUES_MAX.toLocaleString("en")} values, and was not parsed`;

/** Shorter texts have no room for that many values with commas between them. */
const LENGTH_MIN = 2 * VALUES_MAX;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** By commas: values without one between them are nested, which has another limit. */
export function hasTooManyValues(text: string): boolean {
  if (text.length < LENGTH_MIN) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === COMMA && ++values >= VALUES_MAX) return true;
  }
  return false;
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
