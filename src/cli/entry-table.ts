import type { Entry } from "../message/types.ts";
import { summaryOf } from "./message-view.ts";
import type { Output } from "./output.ts";
import { safeLine } from "./safe-text.ts";
import { type Column, table } from "./table.ts";
import { timeAgo } from "./time-ago.ts";

const COLUMNS: readonly Column[] = [
  { title: "SEQ", rank: 0, align: "right" },
  { title: "WHAT", rank: 2 },
  { title: "WHEN", rank: 3 },
  { title: "TEXT", rank: 1, min: 8 },
];
/** Only where there is one. */
const LABEL: Column = { title: "LABEL", rank: 4, min: 8 };

/** Entries, a line each. `labels` are by the id of the entry. */
export function entryTable(
  out: Output,
  entries: readonly Entry[],
  labels: ReadonlyMap<string, string> = new Map(),
): string[] {
  const labelled = entries.some(({ id }) => labels.has(id));
  const [seq, what, when, text] = COLUMNS as [Column, Column, Column, Column];
  const columns = labelled ? [seq, what, when, LABEL, text] : COLUMNS;
  return table(
    out,
    columns,
    entries.map((entry) => [
      String(entry.seq),
      safeLine(entry.message?.role ?? entry.kind),
      timeAgo(entry.at),
      ...(labelled ? [safeLine(labels.get(entry.id) ?? "")] : []),
      safeLine(summaryOf(entry)),
    ]),
  );
}
