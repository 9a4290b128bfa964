/** One commit: operations in order, one write to the feed and to each log, one sync for each file. */
import { checkHeld } from "../../disk/with-lock.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { LogWriter } from "../../transcript/log-writer.ts";
import type { TreePlace } from "../../tree/place-entries.ts";
import type { Awaitable } from "../engine.ts";
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

/** Every staged log holds a file open. */
const STAGED_LOGS_MAX = 128;
export class Commit {
  readonly #context: JsonlContext;
  readonly #outcomes: Outcome[] = [];
  readonly #staged = new Map<LogWriter, StagedAppend[]>();
  readonly #written = new Map<Syncable, number[]>();
  readonly #ended: { readonly index: number; readonly known: CatalogueEntry; readonly turn: string }[] = [];
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
    if (this.#written.size > 1) return this.#syncTogether();
    for (const [file, indexes] of this.#written) {
      try {
        file.sync();
      } catch (error) {
        this.#notDurable(file, indexes, error);
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
    const indexes = this.#written.get(file);
    if (indexes === undefined) this.#written.set(file, [index]);
    else indexes.push(index);
  }

  /** Remove the journal of a turn once its entries are durable. */
  endsTurn(known: CatalogueEntry, turn: string, index: number): void {
    this.#ended.push({ index, known, turn });
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

  async #syncTogether(): Promise<Outcome[]> {
    const sync = ([file, indexes]: [Syncable, number[]]): Promise<void> =>
      file.syncLater().catch((error) => this.#notDurable(file, indexes, error));
    await Promise.all([...this.#written].map(sync));
    return this.#end();
  }

  /** An operation whose data is not synced fails. */
  #notDurable(file: Syncable, indexes: readonly number[], error: unknown): void {
    for (const index of indexes) this.#outcomes[index] = { ok: false, error: error as ColloquyError };
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
    for (const { index, known, turn } of this.#ended)
      if (this.#outcomes[index]?.ok) this.#endJournal(known, turn);
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
    for (const { index, known, turn } of this.#ended.splice(0)) {
      this.#context.logs.sync(known.metadata.id);
      if (!this.#outcomes[index]?.ok) continue;
      // Replaced in one step: a kill must not leave a turn that has begun without a journal, which nobody would end.
      if (known.metadata.id === conversation && turn === next && position === 0) restarts = true;
      else this.#endJournal(known, turn);
    }
    return restarts;
  }

  /** The entries are durable, so a failure only leaves a journal behind, which the next reader ends. */
  #endJournal(known: CatalogueEntry, turn: string): void {
    try {
      this.#context.journals.end(known, turn);
    } catch (error) {
      this.#context.problems.report(
        `${known.stem}:${turn}`,
        `A journal could not be removed: ${(error as Error).message}`,
      );
    }
  }

  #refused(error: unknown): Outcome {
    return { ok: false, error: asColloquyError(error, `Cannot write to ${this.#context.folder}`) };
  }
}

function leasable({ catalogue }: JsonlContext, id: string): string {
  const known = catalogue.peek(id);
  if (known === undefined || known.trashed) throw notFound(id);
  return known.stem;
}
