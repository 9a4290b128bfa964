/** Turns the messages of a caller into entries of the log. */
import { LINE_BYTES_MAX } from "../../disk/line-scan.ts";
import type { AppendOperation, EntryPlace, NewBlob, NewEntry } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import { toEntry, toStoredData } from "../../message/entry.ts";
import type { Entry, MessageEntry, MessageInput, StoredEntry } from "../../message/types.ts";
import { type CheckedMessage, checkMessage } from "../../message/validate.ts";
import { assertJson, isPlainObject, type JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { extractBlobs } from "../blobs/blob-parts.ts";
import { readEntries } from "../read/entries.ts";

export const APPEND_MESSAGES_MAX = 10_000;
const ENVELOPE_BYTES = 4096;
/** A message, with the fields that the JSONL format adds, must fit on one line. */
export const MESSAGE_BYTES_MAX: number = LINE_BYTES_MAX - ENVELOPE_BYTES;

/** An entry that is about to be written, and its content as the caller reads it back. */
export interface PendingEntry {
  readonly entry: NewEntry;
  readonly blobs: readonly NewBlob[];
  readonly content: Pick<StoredEntry, "message" | "data">;
}

export type WriteOptions = Pick<
  AppendOperation,
  | ("branch" | "expectedHead" | "operationId" | "operationGiven")
  | ("epoch" | "endsTurn" | "releases" | "jobs")
>;

export const NO_OPTIONS: WriteOptions = { operationId: undefined, expectedHead: undefined };

export function pendingMessages(store: StoreAccess, messages: unknown, nowMs: number): PendingEntry[] {
  const list = Array.isArray(messages) ? messages : [messages];
  if (list.length === 0) throw invalid("Expected at least one message", "messages");
  if (list.length > APPEND_MESSAGES_MAX) {
    throw invalid(`At most ${APPEND_MESSAGES_MAX} messages can be appended at once`, "messages");
  }
  const checked = list.map((message) => checkedMessage(store, message));
  if (checked.length > 1) checkDistinct(checked);
  return checked.map((message) => pendingMessage(store, message, nowMs));
}

function checkedMessage({ redaction }: StoreAccess, message: unknown): CheckedMessage {
  const checked = checkMessage(message);
  // Checked first: only what is a message has properties to look at.
  return redaction === undefined ? checked : checkMessage(redaction.value(message));
}

function checkDistinct(checked: readonly CheckedMessage[]): void {
  const ids = checked.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size !== ids.length) throw invalid("Two messages of one append have the same id", "id");
}

function pendingMessage(store: StoreAccess, checked: CheckedMessage, nowMs: number): PendingEntry {
  const { id, atMs, message, json } = checked;
  const extracted = extractBlobs(message, json);
  const stored = extracted?.json ?? json;
  // A UTF-16 unit is at most three bytes, so most messages need no counting.
  if (stored.length * 3 > MESSAGE_BYTES_MAX && Buffer.byteLength(stored) > MESSAGE_BYTES_MAX) {
    throw invalid(`A message can have at most ${MESSAGE_BYTES_MAX} bytes`, "content");
  }
  const entry: NewEntry = {
    id: id ?? store.newId(nowMs),
    idGiven: id !== undefined,
    kind: "message",
    at: isoTime(atMs ?? nowMs),
    json: stored,
  };
  return {
    entry: extracted === undefined ? entry : { ...entry, blobs: extracted.refs },
    blobs: extracted?.blobs ?? [],
    content: { message },
  };
}

/** An entry with data of a program's own. */
export function pendingRecord(store: StoreAccess, data: unknown, nowMs: number): PendingEntry {
  if (!isPlainObject(data)) throw invalid("A record must be an object", "data");
  assertJson(data, "data");
  const pending = pendingEntry(store, "custom", structuredClone(data) as JsonObject, nowMs);
  if (Buffer.byteLength(pending.entry.json) > MESSAGE_BYTES_MAX) {
    throw invalid(`A record can have at most ${MESSAGE_BYTES_MAX} bytes`, "data");
  }
  return pending;
}

/** An entry of a known kind other than a message. */
export function pendingEntry(
  store: StoreAccess,
  kind: string,
  data: JsonObject,
  nowMs: number,
  id?: string,
): PendingEntry {
  // Readers do not rename the data of a program back.
  const stored = kind === "custom" ? data : toStoredData(data);
  const entry: NewEntry = {
    id: id ?? store.newId(nowMs),
    idGiven: id !== undefined,
    kind,
    at: isoTime(nowMs),
    json: JSON.stringify(stored),
    data: stored,
  };
  return { entry, blobs: [], content: { data: stored } };
}

/** The result of an append. */
export interface Appended<T extends Entry = MessageEntry> {
  readonly entries: readonly T[];
  /** The last of the entries: the `expectedHead` of an append that must follow this one directly. */
  readonly head: string;
  /** The entries were written before, under the same operation id or with the same ids; nothing was written now. */
  readonly replayed: boolean;
}

/** One atomic, durable write. */
export async function write(
  store: StoreAccess,
  conversation: string,
  pending: readonly PendingEntry[],
  options: WriteOptions,
  nowMs: number,
): Promise<Appended<Entry>> {
  const blobs = pending.flatMap((one) => one.blobs);
  // The operation id marks entries that were written in one append.
  const operationId = options.operationId ?? (pending.length > 1 ? store.newId(nowMs) : undefined);
  const result = await store.queue.push({
    type: "append",
    conversation,
    entries: pending.map(({ entry }) => entry),
    ...(blobs.length === 0 ? {} : { blobs }),
    ...options,
    operationId,
    operationGiven: options.operationGiven ?? options.operationId !== undefined,
    maxDepth: store.depthLimits.maxDepth,
    at: isoTime(nowMs),
  });
  const entries = result.replayed
    ? await readEntries(store, result.entries)
    : pending.map((one, index) => placed(one, result.places[index] as EntryPlace, operationId));
  return { entries, head: (entries.at(-1) as Entry).id, replayed: result.replayed };
}

function placed(
  { entry: { id, kind, at }, content }: PendingEntry,
  { seq, parentId }: EntryPlace,
  operationId: string | undefined,
): Entry {
  const entry: StoredEntry = { id, seq, parentId, kind, at, ...content };
  return toEntry(operationId === undefined ? entry : { ...entry, operationId });
}

export type Messages = MessageInput | readonly MessageInput[];
