/** Makes the feed agree with the logs, under the lock. */

import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { withFile } from "../../../disk/with-file.ts";
import { LogReader } from "../../../transcript/log-reader.ts";
import type { BadLine } from "../../../transcript/log-state.ts";
import { LogWriter } from "../../../transcript/log-writer.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import {
  baseRecord,
  changeRecord,
  decodeRecord,
  encodeRecord,
  entriesRecord,
  type FeedRecord,
  lastOf,
  RECORD_BYTES,
} from "./feed-record.ts";

/** Decide the records of a commit that never finished. */
export function settleFeed(context: JsonlContext): void {
  const { feed, catalogue } = context;
  feed.heal();
  const state = feed.look();
  if (state === undefined) prepareFeed(context);
  if (state === undefined || feed.isDecided(state.count)) return;
  const first = feed.lastCommit(state.count);
  const records = feed.records(first, state.count - first);
  if (records.some(({ type }) => type === "intent")) {
    const decided = records.map((record) => {
      if (record.type !== "intent") return record;
      const known = catalogue.byStem(record.stem);
      if (known !== undefined) repairLog(context, known);
      const isThere = known !== undefined && stands(context, known, record);
      if (isThere) syncLog(context, known);
      return decide(record, isThere);
    });
    feed.rewrite(first, decided);
  }
  feed.markDecided();
}

export function decide(record: FeedRecord, stands: boolean): FeedRecord {
  return { ...record, type: stands ? "entries" : "void" };
}

/** Whether the first entry of the record is in the log. Appends are atomic, so the others are too. */
function stands({ io }: JsonlContext, known: CatalogueEntry, { first, idSum }: FeedRecord): boolean {
  const entry = firstAfter(io, known, first - 1);
  return entry?.seq === first && crc32(entry.id) === idSum;
}

function firstAfter(
  io: JsonlContext["io"],
  { logPath, logMissing, log, seenLog }: CatalogueEntry,
  seq: number,
): { readonly id: string; readonly seq: number } | undefined {
  if (logMissing || seenLog === undefined) return undefined;
  using reader = new LogReader(io, logPath, undefined, { ...log, inode: seenLog.inode });
  const query = { direction: "forward", from: seq, limit: 1, bytesMax: 0 } as const;
  return reader.page(query).entries[0];
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

/**
 * Create or rebuild the feed if it is missing or the machine was restarted: the
 * end of the feed may be lost then, while the logs, which are synced, are not.
 */
export function prepareFeed(context: JsonlContext): void {
  const { feed, io, catalogue } = context;
  const state = feed.look();
  const boot = crc32(io.bootId());
  if (state?.boot === boot) return;
  const known = catalogue.all();
  if (state === undefined) {
    // Entries that are older than the feed are not published again.
    const bases = known.map(({ stem, log }) => encodeRecord(baseRecord(stem, log.lastSeq)));
    feed.replace({ id: newId(context), boot }, bases);
    return;
  }
  for (const one of known) repairLog(context, one);
  const kept = new KeptRecords(feed.bytes(0, state.count));
  kept.settle((record) => {
    const one = catalogue.byStem(record.stem);
    return one !== undefined && stands(context, one, record);
  });
  const missing = known.flatMap((one) => missingRecords(context, one, kept));
  feed.replace({ id: state.id, boot }, [kept.bytes, ...missing.map(encodeRecord)]);
}

/** The records up to the first unreadable one. No position after it was ever returned. */
class KeptRecords {
  readonly bytes: Buffer;
  /** The conversations in the feed, and how far each log is published. */
  readonly stems = new Set<string>();
  readonly reach = new Map<string, number>();

  constructor(bytes: Buffer) {
    let end = 0;
    while (decodeRecord(bytes.subarray(end, end + RECORD_BYTES)) !== undefined) end += RECORD_BYTES;
    this.bytes = bytes.subarray(0, end);
  }

  /** Decide open records from the end: of two intents for the same entries, the later one was carried out. */
  settle(stands: (record: FeedRecord) => boolean): void {
    const { bytes, reach } = this;
    const later = new Map<string, number>();
    for (let at = bytes.length - RECORD_BYTES; at >= 0; at -= RECORD_BYTES) {
      const found = decodeRecord(bytes.subarray(at, at + RECORD_BYTES)) as FeedRecord;
      const { stem } = found;
      let record = found;
      if (found.type === "intent") {
        record = decide(
          found,
          lastOf(found) < (later.get(stem) ?? Number.POSITIVE_INFINITY) && stands(found),
        );
        encodeRecord(record).copy(bytes, at);
      }
      if (record.type === "entries") later.set(stem, record.first);
      this.stems.add(stem);
      const tells = record.type === "entries" || record.type === "base";
      if (tells && !reach.has(stem)) reach.set(stem, lastOf(record));
    }
  }
}

function missingRecords(
  { io }: JsonlContext,
  known: CatalogueEntry,
  { stems, reach }: KeptRecords,
): FeedRecord[] {
  const { stem, log, metadata } = known;
  const records: FeedRecord[] = stems.has(stem) ? [] : [changeRecord("created", stem, metadata.id)];
  const told = reach.get(stem) ?? 0;
  // The log was cut short, so the next entries reuse numbers that were published before.
  if (told > log.lastSeq) records.push(baseRecord(stem, log.lastSeq));
  const entry = told < log.lastSeq ? firstAfter(io, known, told) : undefined;
  if (entry !== undefined) {
    const record = entriesRecord(stem, entry.seq, log.lastSeq - entry.seq + 1, entry.id);
    records.push(decide(record, true));
  }
  return records;
}

function newId({ random }: JsonlContext): number {
  const bytes = Buffer.alloc(4);
  random(bytes);
  return (bytes.readUInt32LE() >>> 4) + 1;
}
