import type { DatabaseSync } from "node:sqlite";
import { activeHead, type LogEnd, type TreePlace } from "../../../tree/place-entries.ts";
import { timeOf } from "../../../util/time.ts";
import type { AppendOperation, AppendResult } from "../../operations.ts";
import { planAppend } from "../../rules.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { APPLICATION_ID } from "../migrations/migrations.ts";
import { toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";
import type { Journals } from "../turns/journals.ts";
import type { Leases } from "../turns/leases.ts";
import { summaryOf, type TreeCache } from "./tree-cache.ts";

/** Writes entries. A message in a conversation that was never branched takes two statements. */
export class Appends {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #trees: TreeCache;
  readonly #blobs: Blobs;
  readonly #journals: Journals;
  readonly #leases: Leases;

  constructor(
    database: DatabaseSync,
    sql: Statements,
    trees: TreeCache,
    blobs: Blobs,
    journals: Journals,
    leases: Leases,
  ) {
    this.#database = database;
    this.#sql = sql;
    this.#trees = trees;
    this.#blobs = blobs;
    this.#journals = journals;
    this.#leases = leases;
  }

  append(append: AppendOperation): AppendResult {
    const cached = this.#trees.get(append.conversation);
    const { n, logEnd } = cached;
    const plan = planAppend(append, {
      logEnd,
      byOperation: (operationId) =>
        this.#sql.entriesByOperation.all(operationId, n).flatMap((row) => toEntry(row) ?? []),
      byEntryId: (id) => {
        const row = this.#sql.entryById.get(n, id);
        return row === undefined ? undefined : toEntry(row);
      },
      lease: () => this.#leases.state(n),
      hasBlob: (hash) => this.#blobs.has(hash),
    });
    if (plan.replay !== undefined) {
      // The first try may have died before its sync. A commit without changes would not sync, and an UPDATE that
      // changes nothing counts as none; this rewrites a page with the same content.
      this.#database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      return { replayed: true, entries: plan.replay };
    }
    cached.logEnd = plan.logEnd;
    this.#insert(append, n, plan.places, plan.logEnd);
    if (plan.logEnd.tree !== logEnd.tree) this.#updateTree(n, logEnd, plan.logEnd);
    if (append.endsTurn !== undefined) this.#journals.end(n, append.endsTurn);
    return { replayed: false, places: plan.places };
  }

  /** `updateCounts` writes the head with every append; the counts change only with the tree. */
  #updateTree(n: number, before: LogEnd, after: LogEnd): void {
    const [[, ...was], [head, ...is]] = [summaryOf(before), summaryOf(after)];
    if (was[0] !== is[0] || was[1] !== is[1]) this.#sql.updateTree.run(n, head, ...is);
  }

  #insert(append: AppendOperation, n: number, places: readonly TreePlace[], logEnd: LogEnd): void {
    const { entries, blobs, operationId, at } = append;
    for (const blob of blobs ?? []) this.#blobs.put(blob, at);
    let messages = 0;
    let lastMessageMs: number | null = null;
    entries.forEach(({ id, kind, at, json, blobs }, index) => {
      const { seq, parentId, branch, mark } = places[index] as TreePlace;
      const atMs = timeOf(at);
      const refs = blobs === undefined || blobs.length === 0 ? null : JSON.stringify(blobs);
      this.#sql.insertEntry.run(
        this.#trees.nextN(),
        n,
        seq,
        id,
        parentId,
        kind,
        atMs,
        operationId ?? null,
        json,
        mark ? branch : null,
        refs,
      );
      if (kind === "message") {
        messages++;
        lastMessageMs = Math.max(lastMessageMs ?? atMs, atMs);
      }
    });
    const { lastSeq } = logEnd;
    if (operationId !== undefined) {
      this.#sql.insertOperation.run(operationId, n, lastSeq - entries.length + 1, lastSeq);
    }
    this.#sql.updateCounts.run(n, lastSeq, activeHead(logEnd), messages, timeOf(at), lastMessageMs);
  }
}
