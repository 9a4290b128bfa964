import { startOf, widthOf } from "./width.ts";

/** Stored text on lines of at most so many columns. Unlike `wrap` it counts wide letters and parts long words. */
export function fold(text: string, columns: number): string[] {
  if (columns === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let width = 0;
  for (const word of text.split(" ")) {
    const pieces = parts(word, columns);
    const last = widthOf(pieces.at(-1) as string);
    if (lines.length > 0 && pieces.length === 1 && width + 1 + last <= columns) {
      lines[lines.length - 1] += ` ${word}`;
      width += 1 + last;
    } else {
      for (const piece of pieces) lines.push(piece);
      width = last;
    }
  }
  return lines;
}

/** Text with line breaks of its own, a little to the right. */
export function indented(lines: readonly string[], columns: number, indent = "  "): string[] {
  const room = Math.max(1, columns - indent.length);
  return lines.flatMap((line) => fold(line, room)).map((line) => `${indent}${line}`.trimEnd());
}

function parts(word: string, columns: number): string[] {
  const found: string[] = [];
  let from = 0;
  // Never all of the rest at once: a word may be as long as a message.
  for (;;) {
    const rest = word.slice(from, from + columns * 16);
    // A letter that is wider than the terminal goes there all the same.
    const start = startOf(rest, columns) || (Array.from(rest.slice(0, 2))[0] ?? "");
    found.push(start);
    from += start.length;
    if (from >= word.length) return found;
  }
}
