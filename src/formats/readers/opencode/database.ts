/**
 * The database of opencode. A session's messages and parts are rows of their
 * own; newer versions also, or only, write whole messages to `session_message`.
 */
import type { JsonObject } from "../../../util/json.ts";
import { filledIn, numberIn, objectIn } from "../../../util/values.ts";
import { madeId } from "../../contract/ids.ts";
import type { Sink, SourceConversation, SourceDatabase } from "../../contract/reader.ts";
import { parsedValue } from "../../sources/json/records.ts";
import { rowRecord } from "../shared/records.ts";
import { addNewMessage } from "./new-message.ts";
import { Records } from "./records.ts";
import { SessionReader } from "./session.ts";

type Row = Readonly<Record<string, unknown>>;

/** Entries are written after this many messages. */
const MESSAGES_PER_STEP = 50;

export function isOpencodeDatabase(database: SourceDatabase): boolean {
  const session = database.columns("session");
  if (!session.includes("project_id") && !session.includes("directory")) return false;
  // All of them, so that a table that is refused is known before anything was read.
  const [message, whole] = ["message", "session_message", "part"].map((table) => hasTable(database, table));
  return message === true || whole === true;
}

function hasTable(database: SourceDatabase, table: string): boolean {
  const columns = database.columns(table);
  return ["id", "session_id", "data"].every((column) => columns.includes(column));
}

export function* readDatabase(database: SourceDatabase, sink: Sink): Generator<void> {
  const calls = new TaskCalls(database);
  const order = orderOf(database, "session");
  const ids = [...database.rows(`SELECT id FROM session ORDER BY ${order}`)].map(({ id }) => String(id));
  const versions = ["message", "session_message"].map((table) => versionsIn(database, table));
  // Only of a damaged file, messages have no session. They lack no more than its title.
  const known = new Set(ids);
  const lost = new Set(versions.flatMap((all) => [...all.keys()]).filter((id) => !known.has(id)));
  for (const id of [...ids, ...lost]) {
    const [row] = database.rows("SELECT * FROM session WHERE id = ?", id);
    if (row === undefined && !lost.has(id)) continue;
    if (row === undefined) sink.unresolved(`session ${id}`);
    const session = row === undefined ? { id } : sessionOf(row);
    // A new title does not change the time of the row.
    const version = [madeId(JSON.stringify(session)), ...versions.map((known) => known.get(id) ?? "")];
    if (sink.isCurrent(id, version.join(" "))) continue;
    const records = new Records();
    if (row !== undefined) records.set(session, [rowRecord(session, "session", row)]);
    const reader = new SessionReader(sink, session, records, true, calls.parentOf(session));
    const reading: Reading = { database, session: id, records, reader, sink };
    const last = yield* readMessages(reading);
    yield* readNewMessages(reading, last);
    reader.finish();
    yield;
  }
}

/** Answers change without their session: how many messages each has, and when one was changed last. */
function versionsIn(database: SourceDatabase, table: string): ReadonlyMap<string, string> {
  const columns = database.columns(table);
  if (!columns.includes("session_id")) return new Map();
  const updated = columns.includes("time_updated") ? "max(time_updated)" : "NULL";
  const sql = `SELECT session_id, count(*) AS count, ${updated} AS updated FROM ${table} GROUP BY session_id`;
  const rows = [...database.rows(sql)];
  return new Map(
    rows.map(({ session_id, count, updated }) => [String(session_id), `${count}/${updated ?? ""}`]),
  );
}

function orderOf(database: SourceDatabase, table: string): string {
  return database.columns(table).includes("time_created") ? "time_created, id" : "id";
}

/** In the form of the JSON files, with every column. */
function sessionOf(row: Row): JsonObject {
  const { id, project_id, parent_id, time_created, time_updated, revert, model, ...others } = row;
  return {
    ...plain(others),
    id: String(id),
    ...plain({ projectID: project_id, parentID: parent_id }),
    time: plain({ created: time_created, updated: time_updated }),
    ...plain({ revert: parsedValue(revert) ?? revert, model: parsedValue(model) ?? model }),
  };
}

/** Columns that have a value. Bytes are not JSON. */
function plain(members: Row): JsonObject {
  const filled = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(filled.filter(([, value]) => !ArrayBuffer.isView(value))) as JsonObject;
}

/** The session that is being read. */
interface Reading {
  readonly database: SourceDatabase;
  readonly session: string;
  readonly records: Records;
  readonly reader: SessionReader;
  readonly sink: Sink;
}

/** The time of the last one. */
function* readMessages(reading: Reading): Generator<void, number> {
  const { database, session, reader } = reading;
  if (!hasTable(database, "message")) return -1;
  const sql = `SELECT id FROM message WHERE session_id = ? ORDER BY ${orderOf(database, "message")}`;
  const ids = [...database.rows(sql, session)].map(({ id }) => String(id));
  let last = -1;
  for (const [index, id] of ids.entries()) {
    const [row] = database.rows("SELECT * FROM message WHERE id = ?", id);
    if (row === undefined) continue;
    last = Math.max(last, numberIn(row.time_created) ?? 0);
    reader.add({
      value: jsonOf(reading, "message", row, { id, sessionID: session }),
      parts: partsOf(reading, id),
    });
    if (index % MESSAGES_PER_STEP === MESSAGES_PER_STEP - 1) yield;
  }
  return last;
}

function partsOf(reading: Reading, message: string): JsonObject[] {
  const { database, session } = reading;
  if (!hasTable(database, "part")) return [];
  const rows = database.rows("SELECT * FROM part WHERE message_id = ? ORDER BY id", message);
  return [...rows].map((row) =>
    jsonOf(reading, "part", row, { id: String(row.id), sessionID: session, messageID: message }),
  );
}

/** The JSON of a row, in the form of the JSON files. */
function jsonOf({ records, sink }: Reading, table: string, row: Row, columns: JsonObject): JsonObject {
  const data = objectIn(parsedValue(row.data));
  const time = objectIn(data?.time) ?? timeOf(row);
  const value: JsonObject = { ...columns, ...data, ...(time !== undefined && { time }) };
  const record = rowRecord(value, table, row);
  if (data === undefined) sink.skip(record, `the data of ${String(columns.id)} is not a JSON object`);
  return records.set(value, [record]);
}

function timeOf({ time_created }: Row): JsonObject | undefined {
  const created = numberIn(time_created);
  return created === undefined ? undefined : { created };
}

/** Only messages after the rows of the legacy form: up to there both are equal. */
function* readNewMessages(reading: Reading, lastMs: number): Generator<void> {
  const { database, session, records, reader, sink } = reading;
  if (!hasTable(database, "session_message")) return;
  const columns = database.columns("session_message");
  const order = columns.includes("seq") ? "seq, id" : orderOf(database, "session_message");
  const sql = `SELECT id FROM session_message WHERE session_id = ? ORDER BY ${order}`;
  const ids = [...database.rows(sql, session)].map(({ id }) => String(id));
  for (const [index, id] of ids.entries()) {
    const [row] = database.rows("SELECT * FROM session_message WHERE id = ?", id);
    if (row === undefined || (lastMs >= 0 && (numberIn(row.time_created) ?? 0) <= lastMs)) continue;
    const value = jsonOf(reading, "session_message", row, { id, type: String(row.type) });
    addNewMessage(value, records, reader, sink);
    if (index % MESSAGES_PER_STEP === MESSAGES_PER_STEP - 1) yield;
  }
}

/** The calls that started sub-agents, looked for once in each session that has some. */
class TaskCalls {
  readonly #database: SourceDatabase;
  readonly #calls: Map<string, ReadonlyMap<string, JsonObject>> = new Map();

  constructor(database: SourceDatabase) {
    this.#database = database;
  }

  parentOf({ id, parentID, agent }: JsonObject): SourceConversation["parent"] {
    const sourceId = filledIn(parentID);
    if (sourceId === undefined) return undefined;
    const call = this.#callsOf(sourceId).get(String(id)) ?? {};
    const input = objectIn(objectIn(call.state)?.input) ?? {};
    return {
      sourceId,
      toolUse: filledIn(call.callID),
      agent: filledIn(agent) ?? filledIn(input.subagent_type),
    };
  }

  #callsOf(session: string): ReadonlyMap<string, JsonObject> {
    const known = this.#calls.get(session);
    if (known !== undefined) return known;
    const found = new Map<string, JsonObject>();
    this.#calls.set(session, found);
    if (!hasTable(this.#database, "part")) return found;
    const sql = "SELECT data FROM part WHERE session_id = ? AND data LIKE '%\"task\"%'";
    for (const { data } of this.#database.rows(sql, session)) {
      const part = objectIn(parsedValue(data)) ?? {};
      const about = objectIn(objectIn(part.state)?.metadata) ?? {};
      const child = filledIn(about.sessionId) ?? filledIn(about.sessionID);
      if (part.tool === "task" && child !== undefined) found.set(child, part);
    }
    return found;
  }
}
