import type { Entry } from "../../message/types.ts";
import { cut } from "../../util/text-width.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { roleStyle } from "../terminal/colours.ts";
import { type Column, table } from "../terminal/table.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import { controlText } from "./control-text.ts";
import { endMark, summaryOf } from "./message-view.ts";

const COLUMNS: readonly Column[] = [
  { title: "SEQ", rank: 0, align: "right" },
  { title: "WHAT", rank: 2 },
  { title: "WHEN", rank: 3 },
  { title: "TEXT", rank: 1, min: 8 },
];
/** Shown only if an entry has a label. */
const LABEL: Column = { title: "LABEL", rank: 4, min: 8 };

/** What later entries say about earlier ones, by id. */
export interface Notes {
  readonly labels?: ReadonlyMap<string, string>;
  /** Compactions that were undone. */
  readonly undone?: ReadonlySet<string>;
  /** The entry that was asked for. */
  readonly sought?: string | undefined;
  /** Columns that do not depend on the entries, because more are printed later. */
  readonly steady?: boolean;
}

/** Enough for most entries; longer words are cut. */
const STEADY: ReadonlyMap<string, number> = new Map([
  ["SEQ", 6],
  ["WHAT", 12],
  ["WHEN", 11],
  ["TEXT", 8],
]);

/** Entries, one per line. */
export function entryTable(
  out: Output,
  entries: readonly Entry[],
  { labels = new Map(), undone = new Set(), sought, steady = false }: Notes = {},
): string[] {
  const labelled = !steady && entries.some(({ id }) => labels.has(id));
  const [seq, what, when, text] = COLUMNS as [Column, Column, Column, Column];
  const role = { ...what, style: (row: number) => roleStyle(entries[row]?.message?.role) };
  const columns = labelled ? [seq, role, when, LABEL, text] : [seq, role, when, text];
  const numbers = new Map(entries.map((entry) => [entry.id, `#${entry.seq}`]));
  const named = (id: string): string => numbers.get(id) ?? id;
  const kind = (entry: Entry): string => safeLine(whatOf(entry, undone));
  return table(
    out,
    steady ? columns.map((column) => ({ ...column, least: STEADY.get(column.title) ?? 0 })) : columns,
    entries.map((entry) => [
      `${entry.id === sought ? "> " : ""}${entry.seq}`,
      steady ? cut(kind(entry), STEADY.get("WHAT") ?? 0) : kind(entry),
      timeAgo(entry.at),
      ...(labelled ? [safeLine(labels.get(entry.id) ?? "")] : []),
      safeLine(controlText(entry, named) ?? summaryOf(entry)),
    ]),
  );
}

function whatOf({ id, kind, message }: Entry, undone: ReadonlySet<string>): string {
  if (message !== undefined) return `${message.role}${endMark(message)}`;
  return undone.has(id) ? `${kind} (undone)` : kind;
}
