/** A table of Markdown with its columns aligned. */
import { pad, widthOf } from "../../util/text-width.ts";
import { type Span, takeInline } from "./inline-markdown.ts";
import type { Style } from "./paint.ts";

const GAP = "  ";
const RULE = /^:?-+:?$/;

export function isTableLine(line: string): boolean {
  return /^ *\|.*\|? *$/.test(line);
}

/** The lines of a table as spans, one list a line; `undefined` if it is wider than the terminal. */
export function tableLines(lines: readonly string[], columns: number): Span[][] | undefined {
  const rows = lines.map(cellsOf);
  const isRuled = rows[1]?.every((cell) => RULE.test(cell)) === true;
  const body = rows.filter((_, index) => !(isRuled && index === 1));
  const shown = body.map((row, index) =>
    row.map((cell) => spansOf(cell, isRuled && index === 0 ? ["bold"] : [])),
  );
  const count = Math.max(...shown.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...shown.map((row) => widthOf(textOf(row[column] ?? [])))),
  );
  const total = widths.reduce((sum, width) => sum + width, GAP.length * (count - 1));
  if (total > columns) return undefined;
  return shown.map((row) =>
    row.flatMap((cell, column) => {
      if (column === row.length - 1) return cell;
      const text = textOf(cell);
      const space = pad(text, widths[column] ?? 0, "left").slice(text.length) + GAP;
      return [...cell, { text: space, styles: [] }];
    }),
  );
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

function spansOf(cell: string, styles: readonly Style[]): readonly Span[] {
  return takeInline(cell, true, styles).spans;
}

function textOf(spans: readonly Span[]): string {
  return spans.map(({ text }) => text).join("");
}
