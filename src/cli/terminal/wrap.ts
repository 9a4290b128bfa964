/** Text on lines that fit a terminal, broken between words. */
import { startOf, widthOf } from "../../util/text-width.ts";

const BELOW = "      ";
const CONTINUED = "    ";
const TEXT_COLUMNS_MIN = 24;

/** Text on lines of at most N columns. A longer word, such as a path, stays whole. */
export function wrap(text: string, columns: number): string[] {
  return fill(text.split(" "), columns, whole);
}

/** Text on lines of at most N columns, for text that others wrote: a longer word is broken. */
export function wrapHard(text: string, columns: number): string[] {
  if (columns === Number.POSITIVE_INFINITY) return [text];
  return fill(text.split(" "), columns, (word) => piecesOf(word, columns));
}

/** Lines that others wrote, indented. */
export function indented(lines: readonly string[], columns: number, indent = "  "): string[] {
  const room = Math.max(1, columns - indent.length);
  return lines.flatMap((line) => wrapHard(line, room)).map((line) => `${indent}${line}`.trimEnd());
}

/** A command on lines that a shell reads as one. */
export function wrapCommand(command: string, columns: number): string[] {
  // A quoted string is one word.
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const lines = fill(words, columns - CONTINUED.length - " \\".length, whole);
  if (`  ${command}`.length <= columns) return [`  ${command}`];
  return lines.map((line, index) => {
    const end = index === lines.length - 1 ? "" : " \\";
    return `${index === 0 ? "  " : CONTINUED}${line}${end}`;
  });
}

/** Names with their meaning beside them, or below them on a narrow terminal. */
export function wrapPairs(
  pairs: readonly (readonly [string, string])[],
  columns: number,
  width: number = widest(pairs),
): string[] {
  const beside = columns - width - 4;
  return pairs.flatMap(([name, meaning]) => {
    if (beside < TEXT_COLUMNS_MIN) {
      return [
        ...wrap(name, columns - CONTINUED.length).map(
          (line, index) => (index === 0 ? "  " : CONTINUED) + line,
        ),
        ...wrap(meaning, columns - BELOW.length).map((line) => BELOW + line),
      ];
    }
    return wrap(meaning, beside).map(
      (line, index) => `  ${(index === 0 ? name : "").padEnd(width)}  ${line}`,
    );
  });
}

export function widest(pairs: readonly (readonly [string, string])[]): number {
  return Math.max(...pairs.map(([name]) => name.length));
}

function fill(
  words: readonly string[],
  columns: number,
  split: (word: string) => readonly string[],
): string[] {
  const lines: string[] = [];
  let width = 0;
  for (const word of words) {
    const pieces = split(word);
    const last = widthOf(pieces.at(-1) ?? "");
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

function whole(word: string): string[] {
  return [word];
}

function piecesOf(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  // Never the whole rest at once: a word may be as long as a message.
  do {
    const rest = word.slice(from, from + columns * 16);
    // A letter that is wider than the terminal is shown anyway.
    const piece = startOf(rest, columns) || (Array.from(rest.slice(0, 2))[0] ?? "");
    pieces.push(piece);
    from += piece.length;
  } while (from < word.length);
  return pieces;
}
