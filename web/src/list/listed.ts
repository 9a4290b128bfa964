/** Rows in the order of the list: newest activity first, then by id. Pure. */
import type { ConversationSummary } from "../../../src/gateway/wire/rest.ts";

type Rows = readonly ConversationSummary[];

/** Whether everything after the last row is known, too. If not, a row beyond it is read with its page. */
export interface ListedEnd {
  readonly isWhole: boolean;
}

/** The rows with one of them new or changed, in its place. */
export function withRow(rows: Rows, row: ConversationSummary, { isWhole }: ListedEnd): Rows {
  const at = rows.findIndex(({ id }) => id === row.id);
  const old = rows[at];
  if (old && activeAt(old) === activeAt(row)) return rows.with(at, { ...old, ...row });
  const rest = old ? rows.toSpliced(at, 1) : rows;
  const place = rest.findIndex((other) => isBefore(row, other));
  if (place < 0 && !isWhole) return rest;
  return rest.toSpliced(place < 0 ? rest.length : place, 0, { ...old, ...row });
}

export function withoutRow(rows: Rows, id: string): Rows {
  return rows.some((row) => row.id === id) ? rows.filter((row) => row.id !== id) : rows;
}

/** The next page after those that are there. A row that has moved up meanwhile is in both. */
export function withPage(rows: Rows, page: Rows): Rows {
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...page.filter(({ id }) => !known.has(id))];
}

/** What the store sorts by. */
export function activeAt({ lastMessageAt, createdAt }: ConversationSummary): string {
  return lastMessageAt ?? createdAt;
}

/** Whether a row is above another one. */
export function isBefore(
  row: ConversationSummary | undefined,
  other: ConversationSummary | undefined,
): boolean {
  if (!row || !other) return false;
  const [a, b] = [activeAt(row), activeAt(other)];
  return a === b ? row.id < other.id : a > b;
}
