/** What was removed, or would be. */
import type { RetentionItem } from "../../store/index.ts";
import { bytesText } from "../../util/bytes-text.ts";
import { safeLine } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { counted, numberText } from "../terminal/count-text.ts";
import { table } from "../terminal/table.ts";
import { wrapHard } from "../terminal/wrap.ts";

export const DRY_RUN_NOTE = "Nothing was changed.";

/** `entries` of a conversation counts its messages. */
type What = "branch" | "conversation";
const PART: Readonly<Record<What, string>> = { branch: "entry", conversation: "message" };

export function removedTable(out: Output, what: What, items: readonly RetentionItem[]): string[] {
  return table(
    out,
    [
      { title: what.toUpperCase(), rank: 0, min: 12 },
      { title: what === "branch" ? "ENTRIES" : "MESSAGES", rank: 2, align: "right" },
      { title: "SIZE", rank: 1, align: "right" },
    ],
    items.map(({ name, entries, bytes }) => [safeLine(name), numberText(entries), bytesText(bytes)]),
  );
}

/** "2 branches with 7 entries, 1.2 kB". */
export function totalOf(items: readonly RetentionItem[], what: What, bytes: number): string {
  const entries = items.reduce((sum, item) => sum + item.entries, 0);
  return `${counted(items.length, what)} with ${counted(entries, PART[what])}, ${bytesText(bytes)}`;
}

/** The summary below the table of removed items. */
export function removedLines(
  out: Output,
  dryRun: boolean,
  what: What,
  items: readonly RetentionItem[],
  bytes: number,
): string[] {
  const total = totalOf(items, what, bytes);
  return wrapHard(
    dryRun ? `${total} would be removed. ${DRY_RUN_NOTE}` : `Permanently removed ${total}.`,
    out.columns,
  );
}

/** Copies that an erasure did not reach. */
export function copiesLines(out: Output, copies: readonly string[]): string[] {
  return listed(out, "Warning: these copies may contain the same text; remove them yourself:", copies);
}

/** Files that a conversation was imported from, or that were put back for its tool. */
export function originalsLines(out: Output, originals: readonly string[]): string[] {
  return listed(
    out,
    "Warning: the originals are left as they are, and may still contain the text:",
    originals,
  );
}

function listed(out: Output, said: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [
    ...wrapHard(said, out.columns).map((line) => out.style("yellow", line)),
    ...paths.map((path) => `  ${safeLine(path)}`),
  ];
}
