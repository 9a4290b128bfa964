/** One commit: operations in order, one write to the feed and to each log, one sync for each file. */
import { checkHeld } from "../../disk/with-lock.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { LogWriter } from "../../transcript/log-writer.ts";
import type { TreePlace } from "../../tree/place-entries.ts";
import type { Awaitable } from "../engine.ts";
import { releaseOf } from "../leases.ts";
import type { AppendOperation, Done, JournalOperation, Operation, Outcome } from "../operations.ts";
import { notFound } from "../rules.ts";
import { purgeConversation } from "./erase/purge.ts";
import { collectBlobs, redactEntry, setKey, sweepConversation } from "./erase/removals.ts";
import { CommitRecords } from "./feed/commit-records.ts";
import type { CatalogueEntry } from "./folder/catalogue-entry.ts";
import { createConversation, moveConversation, updateConversation } from "./folder/conversations.ts";
import type { JsonlContext, RecordChange } from "./jsonl-context.ts";
import { legacyFileOf, writeToLegacy } from "./legacy/write.ts";
import { appendEntries } from "./log/append.ts";
import type { OpenLog } from "./log/open-logs.ts";
import type { Syncable } from "./turns/journals.ts";
import { writeJournal } from "./turns/turns.ts";

/** An append that is staged and not written. */
interface StagedAppend {
  readonly index: number;
  readonly known: CatalogueEntry;
  readonly open: OpenLog;
  readonly at: string;
}

/** Happens once the entries of an append are durable. */
interface TurnEnd {
  readonly index: number;
  readonly known: CatalogueEntry;
  readonly turn: string | undefined;
  /** The token of a lease. */
  readonly releases: string | undefined;
}

/** Every staged log holds a file open. */
const STAGED_LOGS_MAX = 128;

export class Commit {
  readonly #context: JsonlContext;
  readonly #outcomes: Outcome[] = [];
  readonly #staged = new Map<LogWriter, StagedAppend[]>();
  readonly #written = new Map<Syncable, number[]>();
  /** Journals that must survive with the entries of these operations. */
  readonly #begun = new Map<Syncable, number[]>();
  /** Operations whose entries are durable, but not their turn. */
  readonly #lostTurns = new Map<number, ColloquyError>();
  readonly #ended: TurnEnd[] = [];
  readonly #records: CommitRecords;

  /** For one run, under the lock. */
  constructor(context: JsonlContext) {
    this.#context = context;
    this.#records = new CommitRecords(context);
  }

  run(operations: readonly Operation[]): Awaitable<Outcome[]> {
    operations.forEach((operation, index) => {
      try {
        this.#outcomes[index] = { ok: true, ...this.#do(operation, index) };
      } catch (error) {
        this.#outcomes[index] = this.#refused(error);
      }
    });
    this.flush();
    const files = new Set([...this.#written.keys(), ...this.#begun.keys()]);
    if (files.size > 1) return this.#syncTogether(files);
    for (const file of files) {
      try {
        file.sync();
      } catch (error) {
        this.#notDurable(file, error);
      }
    }
    return this.#end();
  }

  #do(operation: Operation, index: number): Done {
    const context = this.#context;
    const legacy = context.legacy.isEmpty ? undefined : legacyFileOf(context, operation);
    if (legacy !== undefined) {
      this.flush();
      const done = writeToLegacy(context, legacy, operation, this, index);
      if (done !== undefined) return done;
    }
    switch (operation.type) {
      case "create":
        // It may return a conversation to which this commit appends.
        this.#beforeChange();
        return { info: createConversation(context, operation, this.recordChange(index)) };
      case "append":
        return { append: appendEntries(context, operation, this, index) };
      case "lease":
        return { lease: context.leases.decide(leasable(context, operation.conversation), operation) };
      case "blob":
        return { length: context.blobs.upload(operation) };
      case "jobs":
        return { length: context.jobs.change(operation, (id) => context.catalogue.peek(id) !== undefined) };
      case "journal":
        return { length: this.#writeJournal(operation, index) };
      default:
        break;
    }
    // The operations below read logs from the disk.
    this.#beforeChange();
    switch (operation.type) {
      case "update":
        return { info: updateConversation(context, operation, this.recordChange(index)) };
      case "purge":
        return { removed: purgeConversation(context, operation, this.recordChange(index)) };
      case "mark-purged":
        context.marks.add(operation.marks);
        return { length: operation.marks.length };
      case "redact":
        return { removed: redactEntry(context, operation, this.recordChange(index)) };
      case "set-key":
        return { removed: setKey(context, operation, this.recordChange(index)) };
      case "sweep":
        return { removed: sweepConversation(context, operation, this.recordChange(index)) };
      case "collect":
        return { removed: collectBlobs(context, operation) };
      default:
        return { info: moveConversation(context, operation, this.recordChange(index)) };
    }
  }

  #beforeChange(): void {
    this.flush();
    this.#context.feed.refuseHardLinks();
  }

  /** Passed to operations, which call it when they have changed a conversation. */
  recordChange(index: number): RecordChange {
    return (type, known) => this.#records.addChange(type, known, index);
  }

  /** Stage an append, to be written with the others of this commit. */
  stage(
    append: AppendOperation,
    known: CatalogueEntry,
    open: OpenLog,
    places: readonly TreePlace[],
    index: number,
  ): void {
    const { entries, operationId, at } = append;
    const { writer } = open;
    if (this.#staged.size >= STAGED_LOGS_MAX && !writer.isStaged) this.flush();
    const starts = writer.stage(entries, places, operationId);
    for (const [line, { id }] of entries.entries()) open.index?.add(id, operationId, starts[line] as number);
    this.#records.addIntent(known.stem, places, entries[0]?.id as string, index);
    const staged = this.#staged.get(writer);
    if (staged === undefined) this.#staged.set(writer, [{ index, known, open, at }]);
    else staged.push({ index, known, open, at });
  }

  /** Record entries that an operation has written and synced itself. */
  recordEntries(known: CatalogueEntry, places: readonly TreePlace[], firstId: string, index: number): void {
    this.#records.addEntries(known.stem, places, firstId, index);
  }

  /** Acknowledge the operation only after `file` is synced. */
  mustSync(file: Syncable, index: number): void {
    addTo(this.#written, file, index);
  }

  /** Acknowledge the entries of the operation only after the journal of their turn is synced. */
  syncsTurn(known: CatalogueEntry, index: number): void {
    const journal = this.#context.journals.begun(known);
    if (journal !== undefined) addTo(this.#begun, journal, index);
  }

  /** If an append ends a turn, remove its journal and release its lease once its entries are durable. */
  endsTurn(known: CatalogueEntry, { endsTurn: turn, releases }: AppendOperation, index: number): void {
    if (turn !== undefined || releases !== undefined) this.#ended.push({ index, known, turn, releases });
  }

  /** Write the staged appends. */
  flush(): void {
    if (!this.#records.isPending) return;
    try {
      this.#records.write();
    } catch (error) {
      for (const [writer, staged] of this.#staged) this.#notWritten(writer, staged, error);
    }
    for (const [writer, staged] of this.#staged) {
      try {
        writer.write();
      } catch (error) {
        this.#notWritten(writer, staged, error);
        continue;
      }
      for (const { index, known, open, at } of staged) {
        this.mustSync(writer, index);
        // Otherwise the catalogue would read these lines back from the file.
        known.log = writer.state;
        known.metadata = { ...known.metadata, updatedAt: at, log: writer.state };
        this.#context.logs.metadataBehind(open);
      }
    }
    this.#staged.clear();
  }

  #notWritten(writer: LogWriter, staged: readonly StagedAppend[], error: unknown): void {
    writer.unstage();
    for (const { index, open } of staged) {
      this.#outcomes[index] = this.#refused(error);
      open.index = undefined;
    }
    // Earlier lines may have been cut off too.
    if (writer.refuses) this.#context.catalogue.recount(writer.path);
    this.#staged.delete(writer);
  }

  async #syncTogether(files: ReadonlySet<Syncable>): Promise<Outcome[]> {
    const sync = (file: Syncable): Promise<void> =>
      file.syncLater().catch((error) => this.#notDurable(file, error));
    await Promise.all([...files].map(sync));
    return this.#end();
  }

  /** An operation whose data is not synced fails. */
  #notDurable(file: Syncable, reason: unknown): void {
    const error = reason as ColloquyError;
    for (const index of this.#written.get(file) ?? []) this.#outcomes[index] = { ok: false, error };
    for (const index of this.#begun.get(file) ?? []) this.#lostTurns.set(index, error);
    // The writer has truncated the file, so the catalogue counts it again.
    this.#context.catalogue.recount(file.path);
  }

  #end(): Outcome[] {
    try {
      checkHeld(this.#context.lock, this.#context.folder);
    } catch (error) {
      return this.#refuseAll(error);
    }
    this.#records.decide((index) => this.#outcomes[index]?.ok === true);
    for (const end of this.#ended) if (this.#outcomes[end.index]?.ok) this.#endTurn(end);
    // After the feed, which has their entries. A retry finds these, and syncs the journal again.
    for (const [index, error] of this.#lostTurns) this.#outcomes[index] = { ok: false, error };
    return this.#outcomes;
  }

  /** Another process may have written to the same files, and decides the records by what it finds there. */
  #refuseAll(error: unknown): Outcome[] {
    const { logs, catalogue, feed } = this.#context;
    for (const { path } of this.#written.keys()) {
      logs.forget(path);
      catalogue.recount(path);
    }
    feed.close();
    return this.#outcomes.map((outcome) => (outcome.ok ? this.#refused(error) : outcome));
  }

  #writeJournal(operation: JournalOperation, index: number): number {
    const restarts = this.#ended.length > 0 && this.#endTurns(operation);
    return writeJournal(this.#context, operation, restarts, (file) => this.mustSync(file, index));
  }

  /** End the turns of this commit now, because it begins another journal. Returns whether that is of the same turn. */
  #endTurns({ conversation, turn: next, position }: JournalOperation): boolean {
    this.flush();
    let restarts = false;
    for (const end of this.#ended.splice(0)) {
      const { index, known, turn } = end;
      this.#context.logs.sync(known.metadata.id);
      if (!this.#outcomes[index]?.ok) continue;
      // Replaced in one step: a kill must not leave a turn that has begun without a journal, which nobody would end.
      if (known.metadata.id === conversation && turn === next && position === 0) restarts = true;
      else this.#endTurn(end);
    }
    return restarts;
  }

  /** The entries are durable. A failure only leaves a journal behind, which the next reader ends, or a lease, which expires. */
  #endTurn({ known, turn, releases }: TurnEnd): void {
    const { journals, leases, problems } = this.#context;
    const attempt = (what: string, work: () => void): void => {
      try {
        work();
      } catch (error) {
        problems.report(`${known.stem}:${turn}`, `${what}: ${(error as Error).message}`);
      }
    };
    if (turn !== undefined) attempt("A journal could not be removed", () => journals.end(known, turn));
    if (releases !== undefined) {
      const release = releaseOf(known.metadata.id, releases);
      attempt("A lease could not be released", () => leases.decide(known.stem, release));
    }
  }

  #refused(error: unknown): Outcome {
    return { ok: false, error: asColloquyError(error, `Cannot write to ${this.#context.folder}`) };
  }
}

function addTo(files: Map<Syncable, number[]>, file: Syncable, index: number): void {
  const indexes = files.get(file);
  if (indexes === undefined) files.set(file, [index]);
  else indexes.push(index);
}

function leasable({ catalogue }: JsonlContext, id: string): string {
  const known = catalogue.peek(id);
  if (known === undefined || known.trashed) throw notFound(id);
  return known.stem;
}
