import type { DatabaseSync } from "node:sqlite";
import { activeHead, type TreePlace } from "../../../tree/place-entries.ts";
import { timeOf } from "../../../util/time.ts";
import { releaseOf } from "../../leases.ts";
import type { AppendOperation, AppendResult } from "../../operations.ts";
import { planAppend } from "../../rules.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { APPLICATION_ID } from "../migrations/migrations.ts";
import { toEntry } from "../rows.ts";
import type { Statements } from "../statements.ts";
import { entrySum, rowSum } from "../sums.ts";
import type { Journals } from "../turns/journals.ts";
import type { Leases } from "../turns/leases.ts";
import { type CachedTree, summaryOf, type TreeCache } from "./tree-cache.ts";

/** The other tables that an append reads or writes. */
interface AppendParts {
  readonly trees: TreeCache;
  readonly blobs: Blobs;
  readonly journals: Journals;
  readonly leases: Leases;
  readonly jobs: Jobs;
}

/** Writes entries. A message in a conversation that was never branched takes two statements. */
export class Appends {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #trees: TreeCache;
  readonly #blobs: Blobs;
  readonly #journals: Journals;
  readonly #leases: Leases;
  readonly #jobs: Jobs;

  constructor(
    database: DatabaseSync,
    sql: Statements,
    { trees, blobs, journals, leases, jobs }: AppendParts,
  ) {
    this.#database = database;
    this.#sql = sql;
    this.#trees = trees;
    this.#blobs = blobs;
    this.#journals = journals;
    this.#leases = leases;
    this.#jobs = jobs;
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
      this.#release(append, n);
      return { replayed: true, entries: plan.replay };
    }
    if (append.jobs !== undefined) this.#jobs.change({ put: append.jobs, remove: [], expect: [] });
    cached.logEnd = plan.logEnd;
    if (plan.logEnd.tree !== logEnd.tree) {
      const [, branches, compactions] = summaryOf(plan.logEnd);
      cached.counts = { ...cached.counts, branches, compactions };
    }
    this.#insert(append, cached, plan.places);
    if (append.endsTurn !== undefined) this.#journals.end(n, append.endsTurn);
    this.#release(append, n);
    return { replayed: false, places: plan.places };
  }

  #release({ conversation, releases }: AppendOperation, n: number): void {
    if (releases !== undefined) this.#leases.decide(n, releaseOf(conversation, releases));
  }

  #insert(append: AppendOperation, cached: CachedTree, places: readonly TreePlace[]): void {
    const { entries, blobs, operationId, at } = append;
    const { n, logEnd } = cached;
    for (const blob of blobs ?? []) this.#blobs.put(blob, at);
    let { messages, lastMessageMs } = cached.counts;
    entries.forEach(({ id, kind, at, json, blobs }, index) => {
      const { seq, parentId, branch, mark } = places[index] as TreePlace;
      const atMs = timeOf(at);
      const refs = blobs === undefined || blobs.length === 0 ? null : JSON.stringify(blobs);
      const number = this.#trees.nextN();
      const op = operationId ?? null;
      const marked = mark ? branch : null;
      const sum = entrySum(number, n, seq, id, parentId, kind, atMs, op, marked, refs, json);
      this.#sql.insertEntry.run(number, n, seq, id, parentId, kind, atMs, op, marked, refs, json, sum);
      if (kind === "message") {
        messages++;
        lastMessageMs = Math.max(lastMessageMs ?? atMs, atMs);
      }
    });
    const { lastSeq } = logEnd;
    if (operationId !== undefined) {
      const columns = [operationId, n, lastSeq - entries.length + 1, lastSeq] as const;
      this.#sql.insertOperation.run(...columns, rowSum(...columns));
    }
    cached.counts = { ...cached.counts, messages, lastMessageMs };
    this.#updateCounts(cached, timeOf(at));
  }

  #updateCounts(cached: CachedTree, updatedMs: number): void {
    const { n, logEnd, counts } = cached;
    const { messages, lastMessageMs, branches, compactions, fault } = counts;
    const activeMs = lastMessageMs ?? counts.activeMs;
    const columns = [
      n,
      updatedMs,
      lastMessageMs,
      activeMs,
      messages,
      logEnd.lastSeq,
      activeHead(logEnd),
      branches,
      compactions,
    ] as const;
    this.#sql.updateCounts.run(...columns, rowSum(...columns) ^ fault);
  }
}
