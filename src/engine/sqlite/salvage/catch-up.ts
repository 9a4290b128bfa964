/**
 * Brings a view of a damaged file up to date.
 *
 * Making a view reads every page of the file. What was written since then is at
 * the end of its tables, and can be read: where the end of a table is damaged,
 * nothing can be written either.
 */
import type { DatabaseSync } from "node:sqlite";
import { isDamage } from "../../../sqlite/damage.ts";
import { hashesIn } from "../blobs/blobs.ts";
import { recount } from "../care/repair.ts";
import type { Connection } from "../connection.ts";
import { insertRow, type NewRow } from "./new-database.ts";

/** False if that is not possible: rows were changed or removed, or cannot be read. */
export function catchUp(view: Connection, file: Connection): boolean {
  const [since] = view.sql.lastN.get() as [number];
  const rows = readRows(file, since);
  if (rows === undefined) return false;
  const { database, sql, tables } = view;
  database.exec("BEGIN; DELETE FROM journals; DELETE FROM journal_pieces; DELETE FROM jobs");
  for (const { n } of rows.conversations) sql.deleteConversation.run(n as number);
  for (const [table, added] of Object.entries(rows)) for (const row of added) insertRow(database, table, row);
  for (const { n } of rows.conversations) recount(database, sql, () => {}, n as number);
  database.exec("COMMIT");
  tables.forget();
  return true;
}

type TableRows = Readonly<Record<string, readonly NewRow[]>> & { readonly conversations: readonly NewRow[] };

function readRows(file: Connection, since: number): TableRows | undefined {
  try {
    return file.transactions.read(() => rowsSince(file, since));
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** What was written after an `n`, without operations and leases: readers do not need them. */
function rowsSince({ database, sql }: Connection, since: number): TableRows | undefined {
  const [, isChanged] = sql.changesSince.get(since) as [number, number];
  if (isChanged === 1) return undefined;
  const all = (query: string, ...values: (string | number)[]): NewRow[] =>
    database.prepare(query).all(...values);
  const entries = all("SELECT * FROM entries WHERE n > ?", since);
  const changes = all("SELECT * FROM changes WHERE n > ?", since);
  const journals = all("SELECT * FROM journals");
  const numbers = new Set([...entries, ...journals].map(({ conversation }) => conversation as number));
  for (const { conversation } of changes) {
    const row = sql.conversation.get<[number]>(conversation as string);
    if (row === undefined) return undefined;
    numbers.add(row[0]);
  }
  return {
    conversations: [...numbers].flatMap((n) => all("SELECT * FROM conversations WHERE n = ?", n)),
    entries,
    changes,
    journals,
    journal_pieces: all("SELECT * FROM journal_pieces"),
    jobs: all("SELECT * FROM jobs"),
    ...blobsOf(database, entries),
  };
}

function blobsOf(
  database: DatabaseSync,
  entries: readonly NewRow[],
): Record<"blobs" | "blob_chunks", NewRow[]> {
  const hashes = new Set(entries.flatMap(({ blobs }) => hashesIn(blobs as string | null)));
  const [blob, chunks] = [
    database.prepare("SELECT * FROM blobs WHERE hash = ?"),
    database.prepare("SELECT * FROM blob_chunks WHERE blob = ?"),
  ];
  const blobs = [...hashes].flatMap((hash) => blob.all(hash));
  return { blobs, blob_chunks: blobs.flatMap(({ n }) => chunks.all(n as number)) };
}
