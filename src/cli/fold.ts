import { startOf, widthOf } from "./width.ts";

/** Stored text on lines of at most so many columns. Unlike `wrap` it counts wide letters and parts long words. */
export function fold(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else lines.push(...parts(word, columns));
  }
  return lines;
}

function parts(word: string, columns: number): string[] {
  const found: string[] = [];
  let rest = word;
  while (widthOf(rest) > columns) {
    // A letter that is wider than the terminal goes there all the same.
    const start = startOf(rest, columns) || rest.slice(0, 2);
    found.push(start);
    rest = rest.slice(start.length);
  }
  return [...found, rest];
}
