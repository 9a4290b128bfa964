import { crc32 } from "node:zlib";
import { LogReader } from "../../../transcript/log-reader.ts";
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

/** The records of a feed up to the first unreadable one. */
export class KeptRecords {
  readonly bytes: Buffer;
  /** The conversations in the feed, and how far each log is published. */
  readonly stems: Set<string> = new Set();
  readonly reach: Map<string, number> = new Map();

  constructor(bytes: Buffer) {
    let end = 0;
    while (decodeRecord(bytes.subarray(end, end + RECORD_BYTES)) !== undefined) end += RECORD_BYTES;
    this.bytes = bytes.subarray(0, end);
  }

  get count(): number {
    return this.bytes.length / RECORD_BYTES;
  }

  /**
   * Decide open records from the end: of two intents for the same entries, the later one was carried out.
   * Returns whether there were any.
   */
  settle(isThere: (record: FeedRecord) => boolean): boolean {
    const { bytes, reach } = this;
    let changed = false;
    const later = new Map<string, number>();
    for (let at = bytes.length - RECORD_BYTES; at >= 0; at -= RECORD_BYTES) {
      const found = decodeRecord(bytes.subarray(at, at + RECORD_BYTES)) as FeedRecord;
      const { stem } = found;
      let record = found;
      if (found.type === "intent") {
        record = decide(
          found,
          lastOf(found) < (later.get(stem) ?? Number.POSITIVE_INFINITY) && isThere(found),
        );
        encodeRecord(record).copy(bytes, at);
        changed = true;
      }
      if (record.type === "entries") later.set(stem, record.first);
      this.stems.add(stem);
      const tells = record.type === "entries" || record.type === "base";
      if (tells && !reach.has(stem)) reach.set(stem, lastOf(record));
    }
    return changed;
  }
}

/** What the log of a conversation has and the feed does not announce. */
export function missingRecords(
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

export function decide(record: FeedRecord, isWritten: boolean): FeedRecord {
  return { ...record, type: isWritten ? "entries" : "void" };
}

/** Whether the first entry of the record is in the log. Appends are atomic, so the others are too. */
export function isWritten(
  { io }: Pick<JsonlContext, "io">,
  known: CatalogueEntry,
  { first, idSum }: FeedRecord,
): boolean {
  const entry = firstAfter(io, known, first - 1);
  return entry?.seq === first && crc32(entry.id) === idSum;
}

/** The first readable entry after `seq`. */
export function firstAfter(
  io: JsonlContext["io"],
  { logPath, logMissing, log, seenLog }: CatalogueEntry,
  seq: number,
): { readonly id: string; readonly seq: number } | undefined {
  if (logMissing || seenLog === undefined) return undefined;
  using reader = new LogReader(io, logPath, undefined, { ...log, inode: seenLog.inode });
  const query = { direction: "forward", from: seq, limit: 1, bytesMax: 0 } as const;
  return reader.page(query).entries[0];
}
