import type { SQLOutputValue } from "node:sqlite";
import { REMOVED_KIND } from "../../message/entry.ts";
import type { BlobRef, Message, StoredEntry } from "../../message/types.ts";
import type { Json, JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { ConversationInfo } from "../queries.ts";
import { entrySum, rowSum } from "./sums.ts";

/** Rows are arrays: building an object with a property for each column takes a third of the reading time. */
export type Row = readonly SQLOutputValue[];

export const INFO_COLUMNS =
  "id, key, title, channel, model, profile_id, context_state, message_count, head, created_at, updated_at, last_message_at, deleted_at, branch_count, compaction_count, n, sum";

/** `damaged` receives what could not be read, or is not as it was written; the rest is returned all the same. */
export function toInfo(
  row: Row,
  damaged: (problem: string) => void,
  isChecked: (row: Row) => boolean = isAsWritten,
): ConversationInfo {
  const isDamaged = !isChecked(row);
  if (isDamaged) damaged("its metadata does not match its checksum");
  const text = (column: number): string | null => row[column] as string | null;
  return {
    id: row[0] as string,
    key: text(1),
    title: text(2),
    channel: text(3),
    model: text(4),
    profileId: text(5),
    contextState: contextStateOf(text(6), isDamaged ? () => {} : damaged),
    messageCount: row[7] as number,
    branchCount: row[13] as number,
    compactionCount: row[14] as number,
    head: text(8),
    createdAt: timeIn(row[9]),
    updatedAt: timeIn(row[10]),
    lastMessageAt: row[11] === null ? null : timeIn(row[11]),
    deletedAt: row[12] === null ? null : timeIn(row[12]),
  };
}

/** Whether the words of a conversation are as they were written. Its counts have their own checksum. */
export function isAsWritten(row: Row): boolean {
  const [id, key, title, channel, model, profile, state, , , created, , , deleted, , , n, sum] = row;
  return rowSum(n, id, key, title, channel, model, profile, created, deleted, state) === sum;
}

/** The last time that a date can have. */
const TIME_MAX = 8.64e15;

/** A damaged time may be none that a date can have. */
function timeIn(ms: unknown): string {
  return isoTime(Math.abs(ms as number) <= TIME_MAX ? (ms as number) : 0);
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

export const ENTRY_COLUMNS = "id, seq, parent_id, kind, at, op, body, blobs, n, conversation, branch, sum";

/** Whether an entry is as it was written. */
export function isIntact(row: Row): boolean {
  const [id, seq, parentId, kind, at, op, body, blobs, n, conversation, branch, sum] = row;
  return entrySum(n, conversation, seq, id, parentId, kind, at, op, branch, blobs, body) === sum;
}

/** What keeps the place of an entry that a repair could not read. */
export const LOST_BODY = '{"lost":true}';

/** Copies carry it along; readers see only that something is missing before the next entry. */
export function isLostPlace(row: Row): boolean {
  return row[3] === REMOVED_KIND && row[6] === LOST_BODY;
}

/** `undefined` when the row is not as it was written, or its body is not JSON. */
export function toEntry(row: Row, isChecked: (row: Row) => boolean = isIntact): StoredEntry | undefined {
  const kind = row[3] as string;
  const body = parsed(row[6] as string);
  // In this order: a row that was checked before is known to be JSON (`CheckedRows.isKnown`).
  if (body === undefined || !isChecked(row)) return undefined;
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
  const bytes = Buffer.byteLength(String(row[6]));
  if (row[7] === null) return bytes;
  return refsOf(String(row[7])).reduce((sum, { size }) => sum + size, bytes);
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
