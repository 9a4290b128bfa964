/** Transcripts that an OpenClaw database has archived, each as one text of lines. */

import { filledIn } from "../../../util/values.ts";
import type { SourceDatabase } from "../../contract/reader.ts";
import { type Payload, unpacked } from "./payload.ts";

/** Deleted and reset transcripts, and those not read for a long time. */
const TABLES = ["session_transcript_archives", "session_transcript_cold_archives"];

interface Archive {
  readonly archived: string | undefined;
  readonly texts: Iterable<Payload>;
}

export function* archivesOf(database: SourceDatabase, sessionId: string): Generator<Archive> {
  for (const { table, order, has } of tablesIn(database)) {
    const reason = has("reason") ? "reason" : "NULL AS reason";
    const sql = `SELECT archive_blob, ${reason} FROM ${table} WHERE session_id = ? AND archive_blob IS NOT NULL ORDER BY ${order}`;
    for (const row of database.rows(sql, sessionId)) {
      yield { archived: filledIn(row.reason), texts: linesOf(row.archive_blob) };
    }
  }
}

/** Which archives there are, by session. A file beside the database is read separately. */
export function archiveVersions(database: SourceDatabase): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { table, order, has } of tablesIn(database)) {
    const name = has("generation") ? "generation" : "length(archive_blob)";
    const sql = `SELECT session_id, ${name} AS name FROM ${table} WHERE archive_blob IS NOT NULL ORDER BY ${order}`;
    for (const { session_id: id, name } of database.rows(sql)) {
      const before = versions.get(String(id));
      versions.set(String(id), before === undefined ? String(name) : `${before},${name}`);
    }
  }
  return versions;
}

interface Table {
  readonly table: string;
  /** The column by which the oldest comes first. */
  readonly order: string;
  readonly has: (column: string) => boolean;
}

function tablesIn(database: SourceDatabase): Table[] {
  return TABLES.flatMap((table) => {
    const columns = database.columns(table);
    const has = (column: string): boolean => columns.includes(column);
    const order = ["created_at", "archived_at", "session_id"].find(has);
    return order !== undefined && has("session_id") && has("archive_blob") ? [{ table, order, has }] : [];
  });
}

function* linesOf(blob: unknown): Generator<Payload> {
  const payload = blob instanceof Uint8Array ? unpacked(blob) : { text: String(blob) };
  if ("problem" in payload) {
    yield payload;
    return;
  }
  for (const text of payload.text.split("\n")) if (text.trim() !== "") yield { text };
}
