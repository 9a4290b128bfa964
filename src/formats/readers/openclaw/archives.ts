/** Transcripts that an OpenClaw database has archived, each as one text of lines. */

import { filledIn } from "../../../util/values.ts";
import type { SourceDatabase, Surroundings } from "../../contract/reader.ts";
import { type Payload, unpacked } from "./payload.ts";

/** Deleted and reset transcripts, and those not read for a long time. */
const TABLES = ["session_transcript_archives", "session_transcript_cold_archives"];

export interface Archive {
  readonly archived: string | undefined;
  readonly texts: Iterable<Payload> | AsyncIterable<Payload>;
}

/** Where the files of a database are, from there. */
const COLD_FOLDER = "../sessions/cold";
const FILE_NAME = /^[\w.-]+$/;

/** The key of a session is in the database, so that a transcript in a file beside it is read from here too. */
export function* archivesOf(
  database: SourceDatabase,
  sessionId: string,
  around: Surroundings,
): Generator<Archive> {
  for (const { table, order, has } of tablesIn(database)) {
    const sql = `SELECT * FROM ${table} WHERE session_id = ? ORDER BY ${order}`;
    for (const { archive_blob: blob, archive_name: name, reason } of database.rows(sql, sessionId)) {
      const file = has("storage") && blob === null ? filledIn(name) : undefined;
      if (blob !== null) yield { archived: filledIn(reason), texts: linesOf(blob) };
      else if (file !== undefined && FILE_NAME.test(file)) {
        yield { archived: filledIn(reason), texts: linesOfFile(`${COLD_FOLDER}/${file}`, around) };
      }
    }
  }
}

/** Which archives there are, by session. */
export function archiveVersions(database: SourceDatabase): Map<string, string> {
  const versions = new Map<string, string>();
  for (const { table, order, has } of tablesIn(database)) {
    const name = has("generation") ? "generation" : "length(archive_blob)";
    const sql = `SELECT session_id, ${name} AS name FROM ${table} ORDER BY ${order}`;
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

async function* linesOfFile(name: string, around: Surroundings): AsyncGenerator<Payload> {
  for await (const { text } of around.records(name)) if (text !== undefined) yield { text };
}

function* linesOf(blob: unknown): Generator<Payload> {
  const payload = blob instanceof Uint8Array ? unpacked(blob) : { text: String(blob) };
  if ("problem" in payload) {
    yield payload;
    return;
  }
  for (const text of payload.text.split("\n")) if (text.trim() !== "") yield { text };
}
