/** Permanently removes data. SQLite overwrites the deleted rows; `eraser.ts` does the rest. */
import { timeOf } from "../../../util/time.ts";
import type {
  PurgeOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
} from "../../operations.ts";
import { entryNotFound, keyReceipt, planSweep, purgeMark, receipt } from "../../removal-rules.ts";
import { notFound } from "../../rules.ts";
import { type Blobs, hashesIn } from "../blobs/blobs.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Feed } from "../log/feed.ts";
import { type CachedTree, loadLogEnd, summaryOf, type TreeCache } from "../log/tree-cache.ts";
import { PURGING, type Statements } from "../statements.ts";
import { rowSum } from "../sums.ts";
import type { Journals } from "../turns/journals.ts";

/** How much of a conversation one transaction removes: about 30 ms of work, most of it for the disk. */
const SLICE_ENTRIES = 500;
const SLICE_BYTES = 2 * 1024 * 1024;

export class Removals {
  readonly #sql: Statements;
  readonly #trees: TreeCache;
  readonly #feed: Feed;
  readonly #blobs: Blobs;
  readonly #journals: Journals;
  readonly #jobs: Jobs;

  constructor(sql: Statements, trees: TreeCache, feed: Feed, blobs: Blobs, journals: Journals, jobs: Jobs) {
    this.#sql = sql;
    this.#trees = trees;
    this.#feed = feed;
    this.#blobs = blobs;
    this.#journals = journals;
    this.#jobs = jobs;
  }

  markPurged(marks: readonly string[]): number {
    for (const mark of marks) this.#sql.insertMark.run(mark, rowSum(mark));
    return marks.length;
  }

  /** A large conversation is first moved to the trash, and shortened from its end. */
  purge({ conversation, at }: PurgeOperation): Removed {
    const row = this.#sql.conversation.get(conversation);
    if (row === undefined) throw notFound(conversation);
    const n = row[0] as number;
    const last = this.#sql.lastEntries.all<SweptRow>(n, SLICE_ENTRIES + 1);
    const slice = sliceOf(last);
    return slice.length < last.length
      ? { ...this.#shorten(conversation, n, slice, at), more: true }
      : this.#purgeAll(conversation, n);
  }

  #shorten(conversation: string, n: number, rows: readonly SweptRow[], at: string): Removed {
    if (this.#sql.liveConversation.get(conversation) !== undefined) this.#feed.add("trashed", conversation);
    this.#feed.add("swept", conversation);
    this.#journals.end(n);
    this.#jobs.removeOf(conversation);
    this.#sql.deleteLease.run(n);
    this.#sql.setDeleted.run(PURGING, timeOf(at), conversation);
    this.#sweepRows(n, rows, new Set());
    const [[lastSeq] = [0]] = this.#sql.lastEntries.all<SweptRow>(n, 1);
    this.#sql.shorten.run(n, lastSeq, messagesIn(rows));
    this.#trees.forget(conversation);
    this.#sql.updateTree.run(n, ...summaryOf(loadLogEnd(this.#sql, n, lastSeq)));
    this.#sql.sealConversation.run(conversation);
    return this.#receiptFor(rows);
  }

  #purgeAll(conversation: string, n: number): Removed {
    const [entries, bytes] = this.#sql.measure.get(n) as [number, number];
    const hashes = this.#hashesOf(n);
    // Before the entries are deleted: their numbers must never be used again.
    this.#feed.add("purged", conversation);
    this.markPurged([purgeMark(conversation)]);
    this.#journals.end(n);
    this.#jobs.removeOf(conversation);
    this.#sql.deleteLease.run(n);
    this.#sql.deleteOperations.run(n);
    this.#sql.deleteEntries.run(n);
    this.#sql.deleteConversation.run(n);
    this.#trees.forget(conversation);
    this.#blobs.suspect(hashes);
    return receipt(entries, bytes, []);
  }

  #hashesOf(n: number): Set<string> {
    const rows = this.#sql.referencesOf.all<[string]>(n);
    return new Set(rows.flatMap(([references]) => hashesIn(references)));
  }

  redact({ conversation, entry, json, at, requires }: RedactOperation): Removed {
    const cached = this.#trees.get(conversation);
    const { n } = cached;
    if (requires !== undefined && this.#sql.entryById.get(n, requires) === undefined)
      throw entryNotFound(requires);
    const row = this.#sql.entryById.get(n, entry);
    if (row === undefined) throw entryNotFound(entry);
    this.#feed.add("redacted", conversation);
    this.#sql.replaceBody.run(n, row[1] as number, json);
    this.#sql.clearContext.run(n);
    this.#updateCounts(conversation, cached, 0, at);
    this.#blobs.suspect(hashesIn(row[7] as string | null));
    return receipt(1, Buffer.byteLength(row[6] as string), []);
  }

  setKey({ conversation, key, at }: SetKeyOperation, former: string | null): Removed {
    if (former === key) return keyReceipt(null);
    this.#feed.add(key === null ? "redacted" : "updated", conversation);
    this.#sql.setKey.run(this.#trees.get(conversation).n, timeOf(at), key);
    return keyReceipt(former);
  }

  sweep({ conversation, at }: SweepOperation): Removed {
    const cached = this.#trees.get(conversation);
    const { ranges, runStarts } = planSweep(cached.logEnd);
    const all: SweptRow[] = [];
    // From the end, so that every entry that is left has its parent.
    for (const [from, to] of ranges.toReversed()) {
      const wanted = SLICE_ENTRIES + 1 - all.length;
      if (wanted > 0) all.push(...this.#sql.entriesInRange.all<SweptRow>(cached.n, from, to, wanted));
    }
    const rows = sliceOf(all);
    if (rows.length === 0) return receipt(0, 0, []);
    this.#feed.add("swept", conversation);
    this.#sweepRows(cached.n, rows, runStarts);
    this.#updateCounts(conversation, cached, messagesIn(rows), at);
    const removed = this.#receiptFor(rows);
    return rows.length < all.length ? { ...removed, more: true } : removed;
  }

  #receiptFor(rows: readonly SweptRow[]): Removed {
    const bytes = rows.reduce((sum, [, , , size]) => sum + size, 0);
    this.#blobs.suspect(new Set(rows.flatMap(([, , , , references]) => hashesIn(references))));
    return receipt(rows.length, bytes, []);
  }

  #sweepRows(n: number, rows: readonly SweptRow[], runStarts: ReadonlySet<number>): void {
    for (const [seq] of rows) (runStarts.has(seq) ? this.#sql.blankEntry : this.#sql.deleteEntry).run(n, seq);
    for (const id of new Set(rows.map(([, , operationId]) => operationId))) {
      if (id !== null) this.#sql.deleteUnusedOperation.run(id, n);
    }
  }

  /** The tree is read again from the entries that are left. */
  #updateCounts(conversation: string, { n, logEnd }: CachedTree, messages: number, at: string): void {
    this.#sql.subtractMessages.run(n, messages, timeOf(at));
    this.#trees.forget(conversation);
    this.#sql.updateTree.run(n, ...summaryOf(loadLogEnd(this.#sql, n, logEnd.lastSeq)));
  }
}

function messagesIn(rows: readonly SweptRow[]): number {
  return rows.filter(([, kind]) => kind === "message").length;
}

/** The first rows, as many as one transaction removes. */
function sliceOf(rows: readonly SweptRow[]): readonly SweptRow[] {
  let bytes = 0;
  const end = rows.findIndex(([, , , size], index) => {
    bytes += size;
    return index > 0 && (index >= SLICE_ENTRIES || bytes > SLICE_BYTES);
  });
  return end === -1 ? rows : rows.slice(0, end);
}

type SweptRow = [
  seq: number,
  kind: string,
  operationId: string | null,
  bytes: number,
  references: string | null,
];
