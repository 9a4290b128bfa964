import { cut, pad, widthOf } from "../../util/text-width.ts";
import type { Style } from "./colours.ts";
import { cutNames } from "./cut-names.ts";

/** Where a table is shown: its width, and its colours. */
export interface Surface {
  /** `Infinity` for a file or pipe, so that nothing is cut. */
  readonly columns: number;
  style(style: Style, text: string): string;
}

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** In a narrow terminal, columns are dropped by rank, highest first. The first column always stays. */
  readonly rank: number;
  /** May be cut to this width before any column is dropped. */
  readonly min?: number;
  /** At least this wide, so that rows printed later are aligned. */
  readonly least?: number;
  /** Cells that tell the rows apart: they are cut in the middle, and never so that two of them look the same. */
  readonly names?: true;
  /** The style of the cell in a row. */
  readonly style?: (row: number) => Style | undefined;
}

const GAP = "  ";

/** Rows below headings, fitted to the terminal. Cells must already be safe text. */
export function table(
  out: Surface,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string[] {
  const natural = columns.map(({ title, least = 0 }, index) =>
    rows.reduce((width, row) => Math.max(width, widthOf(row[index] ?? "")), Math.max(least, widthOf(title))),
  );
  const widths = fitted(columns, natural, out.columns);
  const shown = [...widths].map(([index, width]) => {
    const { title, align = "left", names, style } = columns[index] as Column;
    const cells = rows.map((row) => row[index] ?? "");
    const fitting = names === true ? cutNames(cells, width) : cells.map((cell) => cut(cell, width));
    const body = fitting.map((cell, row) => padded(out, cell, width, align, style?.(row)));
    return [pad(cut(title, width), width, align), ...body];
  });
  const [heading = "", ...lines] = Array.from({ length: rows.length + 1 }, (_, row) =>
    shown
      .map((cells) => cells[row])
      .join(GAP)
      .trimEnd(),
  );
  return [out.style("bold", heading), ...lines];
}

/** Spaces have no style, so that those at the end of a line can be left out. */
function padded(
  out: Surface,
  cell: string,
  width: number,
  align: "left" | "right",
  style: Style | undefined,
): string {
  const text = pad(cell, width, align);
  if (style === undefined || cell === "") return text;
  const at = align === "left" ? 0 : text.length - cell.length;
  return text.slice(0, at) + out.style(style, cell) + text.slice(at + cell.length);
}

/** The width of each visible column, by its index. */
function fitted(
  columns: readonly Column[],
  natural: readonly number[],
  available: number,
): Map<number, number> {
  const byRank = columns.map((_, index) => index).sort((a, b) => rankOf(columns, b) - rankOf(columns, a));
  const widths = new Map(natural.entries());
  for (const leftOut of byRank) {
    const over = tableWidth(widths) - available;
    if (over <= 0 || shrink(columns, widths, over)) return widths;
    if (leftOut !== 0) widths.delete(leftOut);
  }
  // Only the first column is left, and even that is too wide.
  if (tableWidth(widths) > available) widths.set(0, Math.max(1, available));
  return widths;
}

function rankOf(columns: readonly Column[], index: number): number {
  return index === 0 ? -1 : (columns[index]?.rank ?? 0);
}

function tableWidth(widths: ReadonlyMap<number, number>): number {
  return [...widths.values()].reduce((sum, width) => sum + width, GAP.length * (widths.size - 1));
}

/**
 * Cut columns until the table fits, always the widest first. False, with
 * nothing cut, when that is not enough.
 */
function shrink(columns: readonly Column[], widths: Map<number, number>, over: number): boolean {
  const spare = (index: number, width: number): number => Math.max(0, width - (columns[index]?.min ?? width));
  const room = [...widths].reduce((sum, [index, width]) => sum + spare(index, width), 0);
  if (room < over) return false;
  for (let taken = 0; taken < over; taken++) {
    const [index, width] = [...widths]
      .filter(([index, width]) => spare(index, width) > 0)
      .reduce((widest, column) => (column[1] > widest[1] ? column : widest));
    widths.set(index, width - 1);
  }
  return true;
}
