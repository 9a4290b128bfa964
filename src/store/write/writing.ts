/** From what a caller hands in to entries that stand in the log. */
import type { AppendOperation, NewBlob, NewEntry } from "../../engine/index.ts";
import { invalid } from "../../errors.ts";
import type { Entry, MessageInput } from "../../message/types.ts";
import { type CheckedMessage, checkMessage } from "../../message/validate.ts";
import type { JsonObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import { nextUuid } from "../../util/uuid.ts";
import type { StoreAccess } from "../access.ts";
import { extractBlobs, inlineBlobs } from "../blobs/blob-parts.ts";

const APPEND_MESSAGES_MAX = 10_000;
/** A line of the JSONL format may have 64 MiB; this leaves room for what stands around the message. */
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024 - 4096;

/** An entry that is to be written, and what its caller gets to see of it. */
export interface Draft {
  readonly entry: NewEntry;
  readonly blobs: readonly NewBlob[];
  readonly seen: Pick<Entry, "message" | "data">;
}

export type WriteOptions = Pick<
  AppendOperation,
  "branch" | "expectedHead" | "operationId" | "epoch" | "endsTurn"
>;

export const NO_OPTIONS: WriteOptions = { operationId: undefined, expectedHead: undefined };

export function draftMessages(messages: unknown, nowMs: number): Draft[] {
  const list = Array.isArray(messages) ? messages : [messages];
  if (list.length === 0) throw invalid("At least one message is expected", "messages");
  if (list.length > APPEND_MESSAGES_MAX) {
    throw invalid(`At most ${APPEND_MESSAGES_MAX} messages can be appended at once`, "messages");
  }
  const checked = list.map(checkMessage);
  if (checked.length > 1) checkDistinct(checked);
  return checked.map((message) => draftMessage(message, nowMs));
}

function checkDistinct(checked: readonly CheckedMessage[]): void {
  const ids = checked.flatMap(({ id }) => id ?? []);
  if (new Set(ids).size !== ids.length) throw invalid("Two messages of one append have the same id", "id");
}

function draftMessage({ id, atMs, message, json }: CheckedMessage, nowMs: number): Draft {
  const extracted = extractBlobs(message, json);
  const stored = extracted?.json ?? json;
  // A UTF-16 unit is at most three bytes, so most messages need no counting.
  if (stored.length * 3 > MESSAGE_BYTES_MAX && Buffer.byteLength(stored) > MESSAGE_BYTES_MAX) {
    throw invalid(`A message may have at most ${MESSAGE_BYTES_MAX} bytes`, "content");
  }
  const entry: NewEntry = {
    id: id ?? nextUuid(nowMs),
    idGiven: id !== undefined,
    kind: "message",
    at: isoTime(atMs ?? nowMs),
    json: stored,
  };
  return {
    entry: extracted === undefined ? entry : { ...entry, blobs: extracted.refs },
    blobs: extracted?.blobs ?? [],
    seen: { message },
  };
}

/** An entry of another kind than a message. */
export function draftOther(kind: string, data: JsonObject, nowMs: number, id?: string): Draft {
  const entry: NewEntry = {
    id: id ?? nextUuid(nowMs),
    idGiven: id !== undefined,
    kind,
    at: isoTime(nowMs),
    json: JSON.stringify(data),
    data,
  };
  return { entry, blobs: [], seen: { data } };
}

/** One atomic, durable write. */
export async function write(
  store: StoreAccess,
  conversation: string,
  drafts: readonly Draft[],
  options: WriteOptions,
  nowMs: number,
): Promise<Entry[]> {
  const blobs = drafts.flatMap((draft) => draft.blobs);
  // What was written as one can be told apart from what was written one by one.
  const operationId = options.operationId ?? (drafts.length > 1 ? nextUuid(nowMs) : undefined);
  const result = await store.queue.push({
    type: "append",
    conversation,
    entries: drafts.map(({ entry }) => entry),
    ...(blobs.length === 0 ? {} : { blobs }),
    ...options,
    operationId,
    operationGiven: options.operationId !== undefined,
    maxDepth: store.depthLimits.maxDepth,
    at: isoTime(nowMs),
  });
  if (result.replayed) return inlineBlobs(store, result.entries);
  return drafts.map(({ entry: { id, kind, at }, seen }, index) => {
    const { seq, parentId } = result.places[index] as { seq: number; parentId: string | null };
    const entry: Entry = { id, seq, parentId, kind, at, ...seen };
    return operationId === undefined ? entry : { ...entry, operationId };
  });
}

export type Messages = MessageInput | readonly MessageInput[];
