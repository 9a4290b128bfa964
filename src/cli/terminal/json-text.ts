/**
 * JSON as the command prints it: lossless, and safe on a terminal.
 *
 * `JSON.stringify` escapes only U+0000 to U+001F. The other control characters
 * (U+007F to U+009F) and those that change the reading direction would reach the
 * terminal; escaped, they mean the same to a program.
 */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}/gu;

export function jsonText(value: unknown, indent: number): string {
  return safeJson(JSON.stringify(value, null, indent));
}

/** Escape characters that a terminal would act on, in JSON that is already text. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A document in pieces: a long conversation can exceed the maximum length of a string. */
export function* jsonChunks(document: Readonly<Record<string, unknown>>, indent: number): Generator<string> {
  const newline = (depth: number): string => (indent === 0 ? "" : `\n${" ".repeat(indent * depth)}`);
  const nested = (value: unknown, depth: number): string =>
    // Line breaks inside strings are escaped, so these belong to the layout.
    jsonText(value, indent).replaceAll("\n", newline(depth));
  const colon = indent === 0 ? ":" : ": ";
  let first = true;
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    yield `${first ? "{" : ","}${newline(1)}${JSON.stringify(name)}${colon}`;
    first = false;
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, item] of value.entries()) {
        yield `${index === 0 ? "[" : ","}${newline(2)}${nested(item, 2)}`;
      }
      yield `${newline(1)}]`;
    } else yield nested(value, 1);
  }
  yield first ? "{}\n" : `${newline(0)}}\n`;
}
