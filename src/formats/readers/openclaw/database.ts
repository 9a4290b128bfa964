/**
 * The database of an OpenClaw agent.
 *
 * Events are the lines of the former transcripts, so they are read like
 * those: a conversation that is in both is the same, entry by entry.
 * Tables and columns that a release does not have are optional.
 */

import type { Json } from "../../../util/json.ts";
import type { Sink, SourceDatabase, SourceRecord, Surroundings } from "../../contract/reader.ts";
import { parsedValue } from "../../sources/json/records.ts";
import { PiReader } from "../shared/pi-session/reader.ts";
import { rowRecord } from "../shared/records.ts";
import { type Archive, archivesOf, archiveVersions } from "./archives.ts";
import { eventPayload, type Payload } from "./payload.ts";
import { OpenclawSessions } from "./sessions.ts";

const EVENTS = "transcript_events";
const ROWS_AT_ONCE = 500;

export function isOpenclawDatabase(database: SourceDatabase): boolean {
  const columns = database.columns(EVENTS);
  return ["session_id", "seq", "event_json"].every((column) => columns.includes(column));
}

export async function* readOpenclaw(
  database: SourceDatabase,
  sink: Sink,
  around: Surroundings,
): AsyncGenerator<void> {
  const sessions = new OpenclawSessions(database, around.path);
  for (const [sessionId, version] of versionsOf(database)) {
    if (sink.isCurrent(sessionId, `${version} ${sessions.stateOf(sessionId)}`)) continue;
    const origin = sessions.originOf(sessionId);
    for (const { archived, texts } of transcriptsOf(database, sessionId, around)) {
      const about = archived === undefined ? origin.about : { ...origin.about, archived };
      const reader = new PiReader(sink, { format: "openclaw", origin: () => ({ ...origin, about }) });
      let rows = 0;
      for await (const payload of texts) {
        take(payload, reader, sink);
        if (++rows % ROWS_AT_ONCE === 0) yield;
      }
      reader.end(true);
    }
    yield;
  }
}

/** Archived transcripts are older than the current one and come first. */
function* transcriptsOf(
  database: SourceDatabase,
  sessionId: string,
  around: Surroundings,
): Generator<Archive> {
  yield* archivesOf(database, sessionId, around);
  yield { archived: undefined, texts: eventsOf(database, sessionId) };
}

function* eventsOf(database: SourceDatabase, sessionId: string): Generator<Payload> {
  const sql = `SELECT * FROM ${EVENTS} WHERE session_id = ? ORDER BY seq`;
  for (const row of database.rows(sql, sessionId)) yield eventPayload(row);
}

function take(payload: Payload, reader: PiReader, sink: Sink): void {
  const text = "text" in payload ? payload.text : undefined;
  const value = parsedValue(text);
  const record = recordOf(payload, value ?? null, text);
  if ("problem" in payload) sink.skip(record, payload.problem);
  else if (value === undefined) sink.skip(record, "not JSON");
  else reader.record(record);
}

/** The line of an archive, or the row of an event. */
function recordOf({ columns }: Payload, value: Json, text: string | undefined): SourceRecord {
  if (columns !== undefined) return rowRecord(value, EVENTS, columns, text);
  return { value, line: null, offset: null, ...(text === undefined ? {} : { text, row: { line: text } }) };
}

/** All sessions, the oldest first, each with something that changes whenever it does. */
function versionsOf(database: SourceDatabase): Map<string, string> {
  const versions = archiveVersions(database);
  const time = database.columns(EVENTS).includes("created_at") ? "created_at" : "0";
  const figures = `max(seq) AS seq, count(*) AS events, max(${time}) AS last`;
  const sql = `SELECT session_id, ${figures} FROM ${EVENTS} GROUP BY session_id ORDER BY min(${time}), session_id`;
  for (const { session_id: id, seq, events, last } of database.rows(sql)) {
    const archives = versions.get(String(id));
    versions.set(String(id), `${seq}+${events}@${last}${archives === undefined ? "" : ` ${archives}`}`);
  }
  return versions;
}
