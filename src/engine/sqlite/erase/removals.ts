/** Taking away for good. What is deleted here is overwritten by SQLite; `erase.ts` does the rest. */
import { ColloquyError } from "../../../errors.ts";
import { unreachable } from "../../../tree/path.ts";
import { timeOf } from "../../../util/time.ts";
import type { PurgeOperation, RedactOperation, Removed, SweepOperation } from "../../operations.ts";
import { notFound } from "../../rules.ts";
import { type Blobs, type Freed, hashesIn } from "../blobs/blobs.ts";
import type { Feed } from "../log/feed.ts";
import { type KnownTail, summaryOf, type Tails } from "../log/tree-cache.ts";
import type { Row } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { Journals } from "../turns/journals.ts";

export class Removals {
  readonly #sql: Statements;
  readonly #tails: Tails;
  readonly #feed: Feed;
  readonly #blobs: Blobs;
  readonly #journals: Journals;

  constructor(sql: Statements, tails: Tails, feed: Feed, blobs: Blobs, journals: Journals) {
    this.#sql = sql;
    this.#tails = tails;
    this.#feed = feed;
    this.#blobs = blobs;
    this.#journals = journals;
  }

  purge({ conversation }: PurgeOperation): Removed {
    const row = this.#sql.number.get(conversation) as Row | undefined;
    if (row === undefined) throw notFound(conversation);
    const n = row[0] as number;
    const [entries, bytes] = this.#sql.weigh.get(n) as unknown as [number, number];
    const hashes = this.#hashesOf(n);
    // Before the entries go, whose numbers must never be given out again.
    this.#feed.note("purged", conversation);
    this.#journals.end(n);
    this.#sql.dropLease.run(n);
    this.#sql.dropOperations.run(n);
    this.#sql.dropEntries.run(n);
    this.#sql.dropConversation.run(n);
    this.#tails.forget(conversation);
    return removed(entries, bytes, this.#blobs.dropUnused(hashes));
  }

  #hashesOf(n: number): Set<string> {
    const rows = this.#sql.referencesOf.all(n) as unknown as [string][];
    return new Set(rows.flatMap(([references]) => hashesIn(references)));
  }

  redact({ conversation, entry, json, at }: RedactOperation): Removed {
    const { n } = this.#tails.get(conversation);
    const row = this.#sql.entryById.get(n, entry) as Row | undefined;
    if (row === undefined) throw noEntry(entry);
    this.#feed.note("redacted", conversation);
    this.#sql.overwrite.run(n, row[1] as number, json);
    this.#sql.forgetContext.run(n);
    this.#shrink(conversation, n, 0, at);
    const freed = this.#blobs.dropUnused(new Set(hashesIn(row[7] as string | null)));
    return removed(1, Buffer.byteLength(row[6] as string), freed);
  }

  sweep({ conversation, at }: SweepOperation): Removed {
    const known = this.#tails.get(conversation);
    const { tree, lastSeq } = known.logEnd;
    const rows = unreachable(tree, lastSeq).flatMap(
      ([from, to]) => this.#sql.inRange.all(known.n, from, to) as unknown as SweptRow[],
    );
    if (rows.length === 0) return removed(0, 0, { blobs: 0, bytes: 0 });
    this.#feed.note("swept", conversation);
    this.#take(known, rows);
    const messages = rows.filter(([, kind]) => kind === "message").length;
    this.#shrink(conversation, known.n, messages, at);
    const bytes = rows.reduce((sum, [, , , size]) => sum + size, 0);
    const hashes = rows.flatMap(([, , , , references]) => hashesIn(references));
    return removed(rows.length, bytes, this.#blobs.dropUnused(new Set(hashes)));
  }

  #take({ n, logEnd }: KnownTail, rows: readonly SweptRow[]): void {
    const beginnings = new Set(logEnd.tree.runs.map(([seq]) => seq));
    for (const [seq] of rows) (beginnings.has(seq) ? this.#sql.emptyEntry : this.#sql.dropEntry).run(n, seq);
    for (const id of new Set(rows.map(([, , operationId]) => operationId))) {
      if (id !== null) this.#sql.dropUnusedOperation.run(id, n);
    }
  }

  /** The tree is counted again from what is left. */
  #shrink(conversation: string, n: number, messages: number, at: string): void {
    this.#sql.shrink.run(n, messages, timeOf(at));
    this.#tails.forget(conversation);
    this.#sql.setTree.run(n, ...summaryOf(this.#tails.get(conversation).logEnd));
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
