/** Removes data for good. SQLite overwrites what is deleted here; `erase.ts` does the rest. */
import { ColloquyError } from "../../../errors.ts";
import { unreachable } from "../../../tree/path.ts";
import { timeOf } from "../../../util/time.ts";
import type { PurgeOperation, RedactOperation, Removed, SweepOperation } from "../../operations.ts";
import { notFound } from "../../rules.ts";
import { type Blobs, type Freed, hashesIn } from "../blobs/blobs.ts";
import type { Feed } from "../log/feed.ts";
import { type CachedTree, summaryOf, type TreeCache } from "../log/tree-cache.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { Journals } from "../turns/journals.ts";

export class Removals {
  readonly #sql: Statements;
  readonly #trees: TreeCache;
  readonly #feed: Feed;
  readonly #blobs: Blobs;
  readonly #journals: Journals;

  constructor(sql: Statements, trees: TreeCache, feed: Feed, blobs: Blobs, journals: Journals) {
    this.#sql = sql;
    this.#trees = trees;
    this.#feed = feed;
    this.#blobs = blobs;
    this.#journals = journals;
  }

  purge({ conversation }: PurgeOperation): Removed {
    const row = this.#sql.conversation.get(conversation) as Row | undefined;
    if (row === undefined) throw notFound(conversation);
    const n = row[0] as number;
    const [entries, bytes] = this.#sql.measure.get(n) as unknown as [number, number];
    const hashes = this.#hashesOf(n);
    // Before the entries are deleted: their numbers must never be used again.
    this.#feed.add("purged", conversation);
    this.#journals.end(n);
    this.#sql.deleteLease.run(n);
    this.#sql.deleteOperations.run(n);
    this.#sql.deleteEntries.run(n);
    this.#sql.deleteConversation.run(n);
    this.#trees.forget(conversation);
    return removed(entries, bytes, this.#blobs.dropUnused(hashes));
  }

  #hashesOf(n: number): Set<string> {
    const rows = this.#sql.referencesOf.all(n) as unknown as [string][];
    return new Set(rows.flatMap(([references]) => hashesIn(references)));
  }

  redact({ conversation, entry, json, at }: RedactOperation): Removed {
    const { n } = this.#trees.get(conversation);
    const row = this.#sql.entryById.get(n, entry) as Row | undefined;
    if (row === undefined) throw noEntry(entry);
    this.#feed.add("redacted", conversation);
    this.#sql.replaceBody.run(n, row[1] as number, json);
    this.#sql.clearContext.run(n);
    this.#updateCounts(conversation, n, 0, at);
    const freed = this.#blobs.dropUnused(new Set(hashesIn(row[7] as string | null)));
    return removed(1, Buffer.byteLength(row[6] as string), freed);
  }

  sweep({ conversation, at }: SweepOperation): Removed {
    const cached = this.#trees.get(conversation);
    const { tree, lastSeq } = cached.logEnd;
    const rows = unreachable(tree, lastSeq).flatMap(
      ([from, to]) => this.#sql.entriesInRange.all(cached.n, from, to) as unknown as SweptRow[],
    );
    if (rows.length === 0) return removed(0, 0, { blobs: 0, bytes: 0 });
    this.#feed.add("swept", conversation);
    this.#sweepRows(cached, rows);
    const messages = rows.filter(([, kind]) => kind === "message").length;
    this.#updateCounts(conversation, cached.n, messages, at);
    const bytes = rows.reduce((sum, [, , , size]) => sum + size, 0);
    const hashes = rows.flatMap(([, , , , references]) => hashesIn(references));
    return removed(rows.length, bytes, this.#blobs.dropUnused(new Set(hashes)));
  }

  #sweepRows({ n, logEnd }: CachedTree, rows: readonly SweptRow[]): void {
    const runStarts = new Set(logEnd.tree.runs.map(([seq]) => seq));
    for (const [seq] of rows) (runStarts.has(seq) ? this.#sql.blankEntry : this.#sql.deleteEntry).run(n, seq);
    for (const id of new Set(rows.map(([, , operationId]) => operationId))) {
      if (id !== null) this.#sql.deleteUnusedOperation.run(id, n);
    }
  }

  /** The tree is read again from the entries that are left. */
  #updateCounts(conversation: string, n: number, messages: number, at: string): void {
    this.#sql.subtractMessages.run(n, messages, timeOf(at));
    this.#trees.forget(conversation);
    this.#sql.updateTree.run(n, ...summaryOf(this.#trees.get(conversation).logEnd));
  }
}

type SweptRow = [
  seq: number,
  kind: string,
  operationId: string | null,
  bytes: number,
  references: string | null,
];

export function removed(entries: number, bytes: number, freed: Freed): Removed {
  return { entries, blobs: freed.blobs, bytes: bytes + freed.bytes, copies: [] };
}

function noEntry(id: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no entry ${id}`, { field: "entry", details: { id } });
}
