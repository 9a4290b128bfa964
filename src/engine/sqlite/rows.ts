import type { SQLOutputValue } from "node:sqlite";
import type { BlobRef, Message, StoredEntry } from "../../message/types.ts";
import type { Json, JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { ConversationInfo } from "../queries.ts";

/** Rows are arrays: building an object with a property for each column takes a third of the reading time. */
export type Row = readonly SQLOutputValue[];

export const INFO_COLUMNS =
  "id, key, title, channel, model, profile_id, context_state, message_count, head, created_at, updated_at, last_message_at, deleted_at, branch_count, compaction_count";

/** `damaged` receives what could not be read; the rest is returned all the same. */
export function toInfo(row: Row, damaged: (problem: string) => void): ConversationInfo {
  const text = (column: number): string | null => row[column] as string | null;
  return {
    id: row[0] as string,
    key: text(1),
    title: text(2),
    channel: text(3),
    model: text(4),
    profileId: text(5),
    contextState: contextStateOf(text(6), damaged),
    messageCount: row[7] as number,
    branchCount: row[13] as number,
    compactionCount: row[14] as number,
    head: text(8),
    createdAt: isoTime(row[9] as number),
    updatedAt: isoTime(row[10] as number),
    lastMessageAt: row[11] === null ? null : isoTime(row[11] as number),
    deletedAt: row[12] === null ? null : isoTime(row[12] as number),
  };
}

function contextStateOf(json: string | null, damaged: (problem: string) => void): JsonObject | null {
  if (json === null) return null;
  try {
    return JSON.parse(json);
  } catch {
    damaged("its context state is not JSON");
    return null;
  }
}

export const ENTRY_COLUMNS = "id, seq, parent_id, kind, at, operation, body, blobs";

/** `undefined` when the stored body is not JSON. */
export function toEntry(row: Row): StoredEntry | undefined {
  const kind = row[3] as string;
  const body = parsed(row[6] as string);
  if (body === undefined) return undefined;
  const entry: { -readonly [name in keyof StoredEntry]: StoredEntry[name] } = {
    id: row[0] as string,
    seq: row[1] as number,
    parentId: row[2] as string | null,
    kind,
    at: isoTime(row[4] as number),
  };
  if (kind === "message") entry.message = body as Message;
  else entry.data = body as Json;
  if (row[5] !== null) entry.operationId = row[5] as string;
  if (row[7] !== null) entry.blobs = refsOf(row[7] as string);
  return entry;
}

/** Empty when the stored references are not JSON: the message is there all the same. */
function refsOf(json: string): readonly BlobRef[] {
  const refs = parsed(json);
  return Array.isArray(refs) ? refs : [];
}

/** The bytes that a row adds to a page: its message and the blobs it refers to. */
export function pageBytesOf(row: Row): number {
  const bytes = Buffer.byteLength(row[6] as string);
  if (row[7] === null) return bytes;
  return refsOf(row[7] as string).reduce((sum, { size }) => sum + size, bytes);
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
