/** One commit: operations in order, one write to the feed and to each log, one sync for each file. */
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { LogWriter } from "../../transcript/log-writer.ts";
import type { TreePlace } from "../../tree/place-entries.ts";
import type { Awaitable } from "../engine.ts";
import type { AppendOperation, Done, Operation, Outcome } from "../operations.ts";
import { notFound } from "../rules.ts";
import { purgeConversation } from "./erase/purge.ts";
import { collectBlobs, redactEntry, sweepConversation } from "./erase/removals.ts";
import type { Recorded } from "./feed/feed.ts";
import { changeRecord, entriesRecord, type FeedRecord, type RecordType } from "./feed/feed-record.ts";
import { decide, settleFeed } from "./feed/feed-repair.ts";
import type { CatalogueEntry } from "./folder/catalogue-entry.ts";
import { createConversation, moveConversation, updateConversation } from "./folder/conversations.ts";
import type { JsonlContext } from "./jsonl-context.ts";
import { legacyFileOf, writeToLegacy } from "./legacy/write.ts";
import { appendEntries } from "./log/append.ts";
import type { OpenLog } from "./log/open-logs.ts";
import type { Syncable } from "./turns/journals.ts";
import { writeJournal } from "./turns/turns.ts";

/** An append that is planned and not written. */
interface Staged {
  readonly index: number;
  readonly known: CatalogueEntry;
  readonly open: OpenLog;
  readonly at: string;
}

/** Logs hold their files open, so not too many wait. */
const STAGED_LOGS_MAX = 128;
/** Changes that a power cut would take out of the feed without a trace in the logs. */
const SYNCED: ReadonlySet<RecordType> = new Set([
  "updated",
  "trashed",
  "restored",
  "purged",
  "redacted",
  "swept",
]);

export class Commit {
  readonly #context: JsonlContext;
  readonly #outcomes: Outcome[] = [];
  readonly #staged = new Map<LogWriter, Staged[]>();
  readonly #written = new Map<Syncable, number[]>();
  readonly #ended: { readonly index: number; readonly known: CatalogueEntry; readonly turn: string }[] = [];
  /** In the feed already, from `#firstRecord` on. */
  readonly #recorded: Recorded[] = [];
  #firstRecord = 0;
  /** Not yet in the feed. */
  #pending: Recorded[] = [];

  /** To be used once, under the lock. */
  constructor(context: JsonlContext) {
    this.#context = context;
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
        return { info: createConversation(context, operation, this.recordChange(index)) };
      case "append":
        return { append: appendEntries(context, operation, this, index) };
      case "lease":
        return { lease: context.leases.decide(leasable(context, operation.conversation), operation) };
      case "blob":
        return { length: context.blobs.upload(operation) };
      case "journal":
        if (this.#ended.length > 0) this.#endTurns();
        return { length: writeJournal(context, operation, (file) => this.mustSync(file, index)) };
      default:
        break;
    }
    // What follows looks at logs as they are on the disk.
    this.flush();
    switch (operation.type) {
      case "update":
        return { info: updateConversation(context, operation, this.recordChange(index)) };
      case "purge":
        return { removed: purgeConversation(context, operation, this.recordChange(index)) };
      case "redact":
        return { removed: redactEntry(context, operation, this.recordChange(index)) };
      case "sweep":
        return { removed: sweepConversation(context, operation, this.recordChange(index)) };
      case "collect":
        return { removed: collectBlobs(context, operation) };
      default:
        return { info: moveConversation(context, operation, this.recordChange(index)) };
    }
  }

  /** For a change that has happened: the feed tells of it. */
  recordChange(index: number): (type: RecordType, known: CatalogueEntry) => void {
    return (type, { stem, metadata }) => {
      this.#pending.push({ record: changeRecord(type, stem, metadata.id), index });
    };
  }

  /** Plan an append. It is written with the others of this commit. */
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
    const [first, last] = [places[0] as TreePlace, places.at(-1) as TreePlace];
    // What is copied from a log that was swept has gaps.
    const record = entriesRecord(known.stem, first.seq, last.seq - first.seq + 1, entries[0]?.id as string);
    this.#pending.push({ record, index });
    const staged = this.#staged.get(writer);
    if (staged === undefined) this.#staged.set(writer, [{ index, known, open, at }]);
    else staged.push({ index, known, open, at });
  }

  /** For entries that are written and synced: the feed tells of them. */
  written(known: CatalogueEntry, places: readonly TreePlace[], id: string, index: number): void {
    const [first, last] = [places[0] as TreePlace, places.at(-1) as TreePlace];
    const record = entriesRecord(known.stem, first.seq, last.seq - first.seq + 1, id);
    this.#pending.push({ record: decide(record, true), index });
  }

  /** The operation counts when this is synced. */
  mustSync(file: Syncable, index: number): void {
    const indexes = this.#written.get(file);
    if (indexes === undefined) this.#written.set(file, [index]);
    else indexes.push(index);
  }

  /** The journal of a turn goes once its entries are durable. */
  endsTurn(known: CatalogueEntry, turn: string, index: number): void {
    this.#ended.push({ index, known, turn });
  }

  /** Write what is staged. */
  flush(): void {
    if (this.#pending.length === 0) return;
    try {
      this.#record();
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
        // Otherwise the next look at the file would read back what was just written.
        known.log = writer.state;
        known.metadata = { ...known.metadata, updatedAt: at, log: writer.state };
        this.#context.logs.metadataBehind(open);
      }
    }
    this.#staged.clear();
  }

  /** Tell the feed what is about to be written, and what has happened. */
  #record(): void {
    const { feed } = this.#context;
    const isFirst = this.#recorded.length === 0;
    const pending = [...feed.owed.splice(0), ...this.#pending];
    this.#pending = [];
    const records = pending.map(({ record }, place) => ({ ...record, continues: !isFirst || place > 0 }));
    try {
      if (isFirst) settleFeed(this.#context);
      const first = feed.add(records);
      if (isFirst) this.#firstRecord = first;
    } catch (error) {
      // What has happened is told later; what was to happen does not.
      feed.owed.push(...pending.filter(({ record }) => record.type !== "intent"));
      throw error;
    }
    for (const [place, { index }] of pending.entries()) {
      this.#recorded.push({ record: records[place] as FeedRecord, index });
    }
  }

  #notWritten(writer: LogWriter, staged: readonly Staged[], error: unknown): void {
    writer.unstage();
    for (const { index, open } of staged) {
      this.#outcomes[index] = this.#refused(error);
      open.index = undefined;
    }
    // What was written before it may be cut off too.
    if (writer.refuses) this.#context.catalogue.recount(writer.path);
    this.#staged.delete(writer);
  }

  async #syncTogether(): Promise<Outcome[]> {
    const sync = ([file, indexes]: [Syncable, number[]]): Promise<void> =>
      file.syncLater().catch((error) => this.#notDurable(file, indexes, error));
    await Promise.all([...this.#written].map(sync));
    return this.#end();
  }

  /** What was not synced is not acknowledged. */
  #notDurable(file: Syncable, indexes: readonly number[], error: unknown): void {
    for (const index of indexes) this.#outcomes[index] = { ok: false, error: error as ColloquyError };
    // The writer has cut the file back: what was counted is not there any more.
    this.#context.catalogue.recount(file.path);
  }

  #end(): Outcome[] {
    this.#decideRecords();
    for (const { index, known, turn } of this.#ended)
      if (this.#outcomes[index]?.ok) this.#endJournal(known, turn);
    return this.#outcomes;
  }

  /** From here on readers of the feed see it. A failure leaves it to the next commit, which looks at the logs. */
  #decideRecords(): void {
    const { feed } = this.#context;
    if (this.#recorded.length === 0) return;
    const isOk = (index: number): boolean => this.#outcomes[index]?.ok === true;
    const records = this.#recorded.map(({ record, index }) =>
      record.type === "intent" ? decide(record, isOk(index)) : record,
    );
    try {
      if (this.#recorded.some(({ record }) => record.type === "intent"))
        feed.decide(this.#firstRecord, records);
      else feed.markDecided();
      if (records.some(({ type }) => SYNCED.has(type))) feed.syncAll();
    } catch {
      // As above.
    }
  }

  /** Another turn begins in the same commit. */
  #endTurns(): void {
    this.flush();
    const ended = this.#ended.splice(0);
    for (const { index, known, turn } of ended) {
      this.#context.logs.sync(known.metadata.id);
      if (this.#outcomes[index]?.ok) this.#endJournal(known, turn);
    }
  }

  /** The entries are safe; a journal that stays is ended by whoever finds it. */
  #endJournal(known: CatalogueEntry, turn: string): void {
    try {
      this.#context.journals.end(known, turn);
    } catch (error) {
      this.#context.report(
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
