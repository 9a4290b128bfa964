import type { StoredEntry } from "../../../message/types.ts";
import { isOpening, OPENING_MESSAGES } from "../../opening-rules.ts";
import { type Row, toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";

/** The first messages of a conversation, without its tree: a list reads those of every row. */
export function readOpening(
  sql: Statements,
  conversation: string,
  isIntact: (row: Row) => boolean,
): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (const row of sql.opening.iterate(conversation, OPENING_MESSAGES)) {
    const entry = toEntry(row, isIntact);
    if (entry === undefined) continue;
    entries.push(entry);
    if (isOpening(entry)) break;
  }
  return entries;
}
