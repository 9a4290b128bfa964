/** Finds out whether the feed announces everything that the logs have, without the lock. */
import type { Finding } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { lastOf } from "./feed-record.ts";
import { firstAfter } from "./kept-records.ts";

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
  const wanted = new Map(behind.map(({ stem, log }) => [stem, log.lastSeq]));
  let read = 0;
  for (const record of wanted.size === 0 ? [] : feed.backward(state.count)) {
    read++;
    if (record === undefined) break;
    if (record.type !== "entries" && record.type !== "intent" && record.type !== "base") continue;
    const lastSeq = wanted.get(record.stem);
    if (lastSeq === undefined) continue;
    if (lastOf(record) < lastSeq) break;
    wanted.delete(record.stem);
    if (wanted.size === 0) break;
  }
  return { isComplete: wanted.size === 0, read, behind };
}

/** Read every record. A store without a feed has none to verify. */
export function feedFindings(context: JsonlContext): Finding[] {
  const { feed, catalogue, legacy } = context;
  if (!feed.exists()) return [];
  const found = (message: string): Finding[] => [
    { code: "bad-feed", conversation: null, source: feed.path, line: null, message },
  ];
  const known = catalogue
    .all()
    .filter(({ stem, logMissing }) => !logMissing && legacy.ofStem(stem) === undefined);
  feed.writeDecided();
  const state = feed.lookAgain();
  if (state === undefined) return found("its header is unreadable");
  const { count, durable } = state;
  if (count < durable) return found(`it had ${durable} records and now has ${count}`);
  const reach = new Map<string, number>();
  let index = count;
  for (const record of feed.backward(count)) {
    index--;
    // A record that is being written can look unreadable, but not twice.
    if (record === undefined && feed.record(index) === undefined)
      return found(`record ${index} is unreadable`);
    if (record === undefined || record.type === "void" || reach.has(record.stem)) continue;
    if (record.type === "entries" || record.type === "intent" || record.type === "base")
      reach.set(record.stem, lastOf(record));
  }
  const behind = known.find((one) => {
    const told = reach.get(one.stem) ?? 0;
    // Lines that are unreadable take a number too.
    return one.log.lastSeq > told && firstAfter(context.io, one, told) !== undefined;
  });
  return behind === undefined ? [] : found(`it does not announce the last entries of ${behind.logPath}`);
}
