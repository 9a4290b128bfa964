/** Finds out whether the feed announces everything that the logs have, without the lock. */

import type { Steps } from "../../../util/steps.ts";
import type { Finding } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { type FeedRecord, lastOf } from "./feed-record.ts";
import { firstAfter, isWritten } from "./kept-records.ts";

export interface FeedCheck {
  readonly isComplete: boolean;
  /** The number of records that were read. */
  readonly read: number;
  /** Conversations with entries that their metadata does not count. */
  readonly behind: readonly CatalogueEntry[];
}

/**
 * A disk can lose its power while the machine keeps running, so every opener
 * looks for entries whose records are gone. Metadata counts only entries whose
 * records are synced: what remains are the entries of the last second, or of a
 * writer that was killed.
 */
export function checkFeed(context: JsonlContext): FeedCheck {
  const { feed, catalogue, legacy } = context;
  const logs = catalogue
    .all()
    .filter(({ stem, logMissing }) => !logMissing && legacy.ofStem(stem) === undefined);
  const behind = logs.filter(({ log, metadata }) => log.lastSeq > metadata.log.lastSeq);
  // A tail may hold entries that are complete except for a newline.
  const isTorn = logs.some(({ log, seenLog }) => seenLog !== undefined && seenLog.size > log.bytes);
  // Looked at after the logs: a record is written before its entries.
  const state = feed.look();
  if (state === undefined || isTorn) return { isComplete: false, read: 0, behind };
  const wanted = new Map(behind.map((known) => [known.stem, known]));
  let read = 0;
  for (const record of wanted.size === 0 ? [] : feed.backward(state.count)) {
    read++;
    if (record === undefined) break;
    const known = wanted.get(record.stem);
    if (known === undefined || !tellsOf(context, known, record)) continue;
    if (lastOf(record) < known.log.lastSeq) break;
    wanted.delete(record.stem);
    if (wanted.size === 0) break;
  }
  return { isComplete: wanted.size === 0, read, behind };
}

/** Whether a record announces entries that are in the log. An intent may be that of a write that failed. */
function tellsOf(context: JsonlContext, known: CatalogueEntry, record: FeedRecord): boolean {
  const { type } = record;
  return type === "entries" || type === "base" || (type === "intent" && isWritten(context, known, record));
}

const STEP_RECORDS = 1000;

/** Read every record. A store without a feed has none to verify. Findings hold only if nothing was written in a pause. */
export function* feedFindings(context: JsonlContext): Steps<Finding[]> {
  const { feed, catalogue, legacy } = context;
  if (!feed.exists()) return [];
  const found = (message: string): Finding[] => [
    { code: "bad-feed", conversation: null, source: feed.path, line: null, message },
  ];
  const known = new Map(
    catalogue
      .all()
      .filter(({ stem, logMissing }) => !logMissing && legacy.ofStem(stem) === undefined)
      .map((one) => [one.stem, one]),
  );
  feed.writeDecided();
  const state = feed.lookAgain();
  if (state === undefined) return found("its header is unreadable");
  const { count, durable } = state;
  if (count < durable) return found(`it had ${durable} records and now has ${count}`);
  const reach = new Map<string, number>();
  let index = count;
  for (const record of feed.backward(count)) {
    index--;
    if (index % STEP_RECORDS === 0) yield;
    // A record that is being written can look unreadable, but not twice.
    if (record === undefined && feed.record(index) === undefined)
      return found(`record ${index} is unreadable`);
    if (record === undefined || reach.has(record.stem)) continue;
    const one = known.get(record.stem);
    if (one !== undefined && tellsOf(context, one, record)) reach.set(record.stem, lastOf(record));
  }
  const behind = [...known.values()].find((one) => {
    const told = reach.get(one.stem) ?? 0;
    // Lines that are unreadable take a number too.
    return one.log.lastSeq > told && firstAfter(context.io, one, told) !== undefined;
  });
  return behind === undefined ? [] : found(`it does not announce the last entries of ${behind.logPath}`);
}
