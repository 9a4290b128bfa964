/** SQLite files with the tables `sessions` and `messages`, as small agents keep their conversations. */

import { FlatTools, mediaBlock } from "../../../message/apis/flat-tools.ts";
import type { Block } from "../../../message/types.ts";
import type { Json, JsonObject } from "../../../util/json.ts";
import { filledIn, objectsIn, textIn, timeIn } from "../../../util/values.ts";
import type { FormatWith } from "../../contract/format.ts";
import type { ConversationSink, Sink, SourceDatabase, SourceRecord } from "../../contract/reader.ts";
import { parsedValue } from "../../sources/json/records.ts";
import { addFlatMessage } from "../shared/flat-message.ts";
import { unplaced } from "../shared/records.ts";

const NAME = "agent-sqlite";
const ROWS_BETWEEN = 500;

type Row = Readonly<Record<string, unknown>>;

export const agentSqlite: FormatWith<"database"> = {
  name: NAME,
  database: {
    sniff: (database) =>
      has(database, "sessions", ["id", "channel"]) &&
      has(database, "messages", ["id", "session_id", "role", "content"]),
    *read(database, sink) {
      for (const session of database.rows("SELECT * FROM sessions ORDER BY rowid")) {
        yield* readSession(database, session, sink);
      }
      yield* readOrphans(database, sink);
    },
  },
};

function has(database: SourceDatabase, table: string, wanted: readonly string[]): boolean {
  const columns = new Set(database.columns(table));
  return wanted.every((column) => columns.has(column));
}

function* readSession(database: SourceDatabase, session: Row, sink: Sink): Generator<void> {
  const sourceId = String(session.id);
  const conversation = sink.conversation({
    sourceId,
    ...(sourceId.includes(":") ? { key: sourceId } : {}),
    createdAt: timeIn(session.created_at),
    channel: textIn(session.channel),
  });
  conversation.note(recordOf(session));
  yield* readMessages(database, sourceId, conversation, sink);
}

/** Messages of sessions that no longer exist. */
function* readOrphans(database: SourceDatabase, sink: Sink): Generator<void> {
  const sql =
    "SELECT DISTINCT session_id FROM messages WHERE session_id NOT IN (SELECT id FROM sessions) ORDER BY 1";
  for (const { session_id: id } of [...database.rows(sql)]) {
    const sourceId = String(id);
    sink.unresolved(`session ${sourceId}`);
    yield* readMessages(database, sourceId, sink.conversation({ sourceId }), sink);
  }
}

function* readMessages(
  database: SourceDatabase,
  sourceId: string,
  conversation: ConversationSink,
  sink: Sink,
): Generator<void> {
  const target = { format: NAME, sink, conversation, tools: new FlatTools() };
  let count = 0;
  for (const row of database.rows("SELECT * FROM messages WHERE session_id = ? ORDER BY id", sourceId)) {
    const record = recordOf(row);
    const line = {
      ...(record.value as JsonObject),
      content: contentOf(row.content),
      timestamp: row.created_at as Json,
    };
    addFlatMessage(line, record, String(row.id), target);
    if (++count % ROWS_BETWEEN === 0) yield;
  }
  yield;
}

/** Bytes are kept as Base64. */
function recordOf(row: Row): SourceRecord {
  const members = Object.entries(row).map(([name, value]) => [name, jsonIn(value)] as const);
  return unplaced(Object.fromEntries(members));
}

function jsonIn(value: unknown): Json {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : null;
}

/** Parts, if the text is JSON of parts; otherwise the text itself. */
function contentOf(content: unknown): string | Block[] {
  const text = content instanceof Uint8Array ? Buffer.from(content).toString() : (textIn(content) ?? "");
  if (!text.startsWith("[")) return text;
  const list = parsedValue(text);
  const parts = objectsIn(list);
  const isParts = Array.isArray(list) && list.length > 0 && parts.length === list.length;
  return isParts && parts.every(({ type }) => filledIn(type) !== undefined) ? parts.map(blockOf) : text;
}

function blockOf(part: JsonObject): Block {
  const url = part.image_url;
  if (part.type === "image_url" && url !== undefined && url !== null) {
    const address = typeof url === "string" ? url : textIn((url as JsonObject).url);
    return mediaBlock({ type: "image", url: address });
  }
  if (part.type === "image" && part.source === undefined) {
    return mediaBlock({
      type: "image",
      base64: part.data ?? part.base64,
      url: part.url,
      mimetype: part.mimeType ?? part.media_type,
    });
  }
  return part as Block;
}
