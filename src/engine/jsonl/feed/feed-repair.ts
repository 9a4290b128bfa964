import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { withFile } from "../../../disk/with-file.ts";
import type { BadLine } from "../../../transcript/log-state.ts";
import { LogWriter } from "../../../transcript/log-writer.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import type { FeedState } from "./feed.ts";
import { baseRecord, encodeRecord, type FeedRecord } from "./feed-record.ts";
import { decide, isWritten, KeptRecords, missingRecords } from "./kept-records.ts";

/** Decide the records of a commit that never finished. */
export function settleFeed(context: JsonlContext): void {
  const { feed } = context;
  feed.heal();
  const state = feed.look();
  if (state === undefined || feed.hasShrunk) {
    mendFeed(context);
    return;
  }
  if (feed.isDecided(state.count)) return;
  feed.expectOthers();
  const first = feed.lastCommit(state.count);
  const records = feed.records(first, state.count - first);
  if (records.length < state.count - first) {
    mendFeed(context);
    return;
  }
  if (records.some(({ type }) => type === "intent")) {
    feed.rewrite(
      first,
      records.map((record) => settled(context, record)),
    );
  }
  feed.markDecided();
}

function settled(context: JsonlContext, record: FeedRecord): FeedRecord {
  if (record.type !== "intent") return record;
  const known = context.catalogue.byStem(record.stem);
  if (known !== undefined) repairLog(context, known);
  const isThere = known !== undefined && isWritten(context, known, record);
  if (isThere) syncLog(context, known);
  return decide(record, isThere);
}

/** Settle the feed, so that a reader can pass the record at `index`. */
export function clearWay(context: JsonlContext, index: number): void {
  settleFeed(context);
  const type = context.feed.record(index)?.type;
  // Not even a crash of the machine leaves an intent before the last commit, but a disk that lost its power does.
  if (type === undefined || type === "intent") mendFeed(context);
}

/** A power cut must not undo a published change, and its writer may have died before the sync. */
function syncLog({ io, durable }: JsonlContext, { logPath }: CatalogueEntry): void {
  if (!durable) return;
  withFile(io, logPath, "write", (file) => io.sync(file));
  io.syncFolder(dirname(logPath));
}

/** Repair a torn tail now: entries that a later repair recovered would be missing from the feed. */
export function repairLog(
  context: JsonlContext,
  known: CatalogueEntry,
  found?: (line: BadLine) => void,
): void {
  const { log, seenLog, logPath } = known;
  if (known.logMissing || seenLog === undefined || seenLog.size <= log.bytes) return;
  const { io, nowMs, durable, catalogue } = context;
  const bad = found ?? ((line: BadLine) => context.problems.badLine(logPath, line));
  const writer = new LogWriter(io, logPath, { nowMs, durable, bad }, log, seenLog.inode);
  try {
    writer.refresh();
    writer.sync();
  } finally {
    writer.close();
  }
  catalogue.refreshLog(known);
}

/** Under the lock, at opening. After a restart of the machine the end of the feed may be lost. */
export function prepareFeed(context: JsonlContext): void {
  const { feed, io } = context;
  const state = feed.look();
  if (state?.boot === crc32(io.bootId()) && state.count >= state.durable) return;
  mendFeed(context);
}

/**
 * Compare the feed with the logs and complete it, under the lock.
 *
 * Records that were never synced can be missing after a power cut: they only
 * announce entries, which the logs have. A synced record that is missing or
 * unreadable may have announced anything, so a new feed begins, and places in
 * the former one are refused.
 */
export function mendFeed(context: JsonlContext): void {
  const { feed, io, catalogue, problems } = context;
  const state = feed.lookAgain();
  if (state === undefined) {
    if (feed.exists()) problems.damagedFeed(feed.path, "its header is unreadable; a new feed begins");
    beginFeed(context);
    return;
  }
  const known = catalogue.all();
  for (const one of known) repairLog(context, one);
  const kept = new KeptRecords(feed.bytes(0, state.count));
  if (kept.count < state.durable) {
    problems.damagedFeed(feed.path, `record ${kept.count} is unreadable or missing; a new feed begins`);
    beginFeed(context);
    return;
  }
  const changed = kept.settle((record) => {
    const one = catalogue.byStem(record.stem);
    const isThere = one !== undefined && isWritten(context, one, record);
    if (isThere) syncLog(context, one);
    return isThere;
  });
  const missing = known.flatMap((one) => missingRecords(context, one, kept));
  const boot = crc32(io.bootId());
  const isWhole = !changed && missing.length === 0 && kept.count === state.count && state.boot === boot;
  if (!isWhole) replaceFeed(context, state, kept, missing);
  else feed.markWhole();
}

function replaceFeed(
  { feed, io }: JsonlContext,
  { id }: FeedState,
  kept: KeptRecords,
  missing: readonly FeedRecord[],
): void {
  const durable = kept.count + missing.length;
  feed.replace({ id, boot: crc32(io.bootId()), durable }, [kept.bytes, ...missing.map(encodeRecord)]);
}

/** Entries that are older than the feed are not published again. */
function beginFeed(context: JsonlContext): void {
  const { feed, io, catalogue } = context;
  const bases = catalogue.all().map(({ stem, log }) => encodeRecord(baseRecord(stem, log.lastSeq)));
  feed.replace({ id: newId(context), boot: crc32(io.bootId()), durable: bases.length }, bases);
}

function newId({ random }: JsonlContext): number {
  const bytes = Buffer.alloc(4);
  random(bytes);
  return (bytes.readUInt32LE() >>> 4) + 1;
}
