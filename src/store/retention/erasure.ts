/** Permanent erasure. */
import type { Removed } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import type { Message, StoredEntry } from "../../message/types.ts";
import { checkEntryId } from "../../message/validate.ts";
import { isPlainObject } from "../../util/json.ts";
import { isoTime } from "../../util/time.ts";
import type { StoreAccess } from "../access.ts";
import { findEntry, noEntry } from "../read/lookups.ts";

/** A receipt of what was removed. */
export interface Receipt extends Removed {
  /** The conversation id. */
  readonly id: string;
  readonly at: string;
}

const REDACTED = "[redacted]";

/** Erase the content of an entry. The entry stays in place, marked as redacted. */
export async function redact(store: StoreAccess, id: string, entryId: string): Promise<Receipt> {
  const checked = checkEntryId(entryId);
  store.assertWritable();
  const entry = await findEntry(store, id, checked);
  if (entry === undefined) throw noEntry(id, checked);
  const at = isoTime(store.nowMs());
  if (isRedacted(entry)) {
    const copies = await store.ask((engine) => engine.erase());
    return { id, at, entries: 0, blobs: 0, bytes: 0, copies };
  }
  const json = JSON.stringify(
    entry.message === undefined ? redactedData(entry, at) : redactedMessage(entry.message, at),
  );
  const removed = await store.queue.push({ type: "redact", conversation: id, entry: checked, json, at });
  return { id, at, ...removed };
}

function isRedacted({ message, data }: StoredEntry): boolean {
  const noted = message === undefined ? data : message.extra?.colloquy;
  return isPlainObject(noted) && ("redactedAt" in noted || "redacted_at" in noted);
}

function redactedMessage({ role }: Message, at: string): Message {
  return { role, content: REDACTED, extra: { colloquy: { redactedAt: at } } };
}

/** Data that the tree is built from stays: the position of a summary is not its content. */
function redactedData({ kind, data }: StoredEntry, at: string): object {
  if (!isPlainObject(data)) return { redacted_at: at };
  if (kind === "label") return { entry: data.entry, label: null, redacted_at: at };
  if (kind === "info" && data.type === "turn") {
    return { type: "turn", turn: data.turn, state: data.state, redacted_at: at };
  }
  if (kind === "info") {
    throw new ColloquyError("NOT_SUPPORTED", "Changes to branches cannot be redacted", {
      field: "entryId",
    });
  }
  const { first_kept, first_kept_seq } = data;
  const place = first_kept_seq === undefined ? {} : { first_kept, first_kept_seq };
  return { summary: REDACTED, ...place, redacted_at: at };
}
