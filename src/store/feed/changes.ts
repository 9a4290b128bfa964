import { setTimeout as sleep } from "node:timers/promises";
import type { Change as EngineChange, FeedPlace } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { REMOVED_KIND } from "../../message/entry.ts";
import type { Entry } from "../../message/types.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal, type StoreAccess } from "../access.ts";
import { decodeCursor, encodeCursor } from "../read/cursor.ts";
import { readEntries } from "../read/entries.ts";

export interface ChangesOptions {
  /** The cursor of the last change that was seen, to resume after it. Default: only new changes. */
  readonly since?: string;
  readonly signal?: AbortSignal;
}

export interface Change extends Pick<EngineChange, "type" | "conversation"> {
  /** With `entry`. */
  readonly entry?: Entry;
  readonly cursor: string;
}

const BATCH = 500;
/** Changes of a busy store are read together: each read is a query, and an answer from the thread of the engine. */
const TOGETHER_MS = 5;
const CHANGES_MEMBERS: ReadonlySet<string> = new Set(["since", "signal"]);

/** Every committed change, including those of other processes, until the signal or the store is closed. */
export async function* changes(
  store: StoreAccess,
  options: ChangesOptions,
  now: () => Promise<{ readonly place: FeedPlace }>,
  isClosed: () => boolean,
): AsyncGenerator<Change, void, undefined> {
  checkProperties(options, CHANGES_MEMBERS, "options");
  const { since, signal } = options;
  checkSignal(signal);
  using listener = store.wakes.listen();
  let place = since === undefined ? (await now()).place : placeOf(since);
  while (!signal?.aborted && !isClosed()) {
    const batch = await next(store, place, isClosed);
    if (batch === undefined) return;
    for (const { type, conversation, entry, place: behind } of batch.changes) {
      if (signal?.aborted) return;
      // Entries that were pruned before they were read are left out.
      if (entry?.kind === REMOVED_KIND) continue;
      const [whole] = entry === undefined ? [] : await readEntries(store, [entry]);
      const cursor = encodeCursor("f", ...behind);
      yield whole === undefined
        ? { cursor, type, conversation }
        : { cursor, type, conversation, entry: whole };
    }
    place = batch.place;
    if (batch.changes.length === 0) await listener.pause(signal);
    else {
      listener.found();
      if (batch.changes.length < BATCH) await sleep(TOGETHER_MS);
    }
  }
}

function placeOf(cursor: string): FeedPlace {
  const [first, second] = decodeCursor("f", cursor, ["number", "number"], "since");
  return [first as number, second as number];
}

/** `undefined` if the store was closed in the meantime. */
async function next(
  store: StoreAccess,
  place: FeedPlace,
  isClosed: () => boolean,
): Promise<{ changes: EngineChange[]; place: FeedPlace } | undefined> {
  try {
    return await store.ask((engine) => engine.changes(place, BATCH));
  } catch (error) {
    if (isClosed() && error instanceof ColloquyError) return undefined;
    throw error;
  }
}
