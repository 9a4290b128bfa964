import type { DatabaseSync } from "node:sqlite";
import { pragma } from "../../../sqlite/pragma.ts";
import type { ConversationInfo, EngineStats } from "../../queries.ts";
import { TOP_COUNT } from "../../rules.ts";
import { hashesIn } from "../blobs/blobs.ts";
import { INFO_COLUMNS, toInfo } from "../rows.ts";
import { prepare, type Statements } from "../statements.ts";
import { countStore } from "./counts.ts";

export function measure(database: DatabaseSync, sql: Statements, path: string): EngineStats {
  const { sizes, trash } = sizesOf(database);
  const free = pragma(database, "freelist_count") * pragma(database, "page_size");
  return {
    ...countStore(sql, path),
    entries: counts(database).entries,
    top: longestConversations(database),
    reclaimable: free + trash + unusedBytes(database, sql),
    sizes,
  };
}

export function counts(database: DatabaseSync): { conversations: number; entries: number } {
  const row = database
    .prepare(
      "SELECT (SELECT count(*) FROM conversations) AS conversations, (SELECT count(*) FROM entries) AS entries",
    )
    .get();
  return { conversations: Number(row?.conversations), entries: Number(row?.entries) };
}

/** Entries by their length, which SQLite knows without reading them, and each blob of a conversation once. */
function sizesOf(database: DatabaseSync): { sizes: Record<string, number>; trash: number } {
  const rows = database.prepare(
    `SELECT id, deleted_at IS NOT NULL AS trashed,
        coalesce((SELECT sum(octet_length(body)) FROM entries WHERE conversation = c.n), 0) AS bytes,
        coalesce((SELECT sum(stored_bytes) FROM blobs WHERE hash IN (SELECT DISTINCT r.value ->> 'hash' FROM entries e,
          json_each(iif(json_valid(e.blobs), e.blobs, '[]')) r WHERE e.conversation = c.n AND e.blobs IS NOT NULL)), 0)
          AS attached
      FROM conversations c`,
  );
  const sizes: Record<string, number> = {};
  let trash = 0;
  for (const { id, trashed, bytes, attached } of rows.iterate()) {
    const size = Number(bytes) + Number(attached);
    sizes[String(id)] = size;
    if (trashed) trash += size;
  }
  return { sizes, trash };
}

/** The bytes of blobs that no entry refers to, and of unfinished uploads. */
function unusedBytes(database: DatabaseSync, sql: Statements): number {
  const unused = new Map<string, number>();
  let bytes = 0;
  for (const { hash, stored_bytes } of database.prepare("SELECT hash, stored_bytes FROM blobs").iterate()) {
    if (hash === null) bytes += Number(stored_bytes);
    else unused.set(String(hash), Number(stored_bytes));
  }
  const rows = unused.size === 0 ? [] : sql.references.iterate();
  for (const [references] of rows) {
    for (const hash of hashesIn(references as string)) unused.delete(hash);
  }
  return [...unused.values()].reduce((sum, size) => sum + size, bytes);
}

function longestConversations(database: DatabaseSync): ConversationInfo[] {
  const top = prepare(
    database,
    `SELECT ${INFO_COLUMNS} FROM conversations WHERE deleted_at IS NULL ORDER BY message_count DESC LIMIT ${TOP_COUNT}`,
  );
  return top.all().map((row) => toInfo(row, () => {}));
}
