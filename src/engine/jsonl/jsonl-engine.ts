import { join, resolve } from "node:path";
import { asColloquyError, type ColloquyError, unavailable } from "../../errors.ts";
import { type FileIo, type FileLock, systemIo } from "../../transcript/io.ts";
import { locked } from "../../transcript/locked.ts";
import { LogReader } from "../../transcript/log-reader.ts";
import type { BadLine } from "../../transcript/log-state.ts";
import { createLog, type LogWriter } from "../../transcript/log-writer.ts";
import { headerOf, type Metadata, newMetadata } from "../../transcript/metadata.ts";
import { type Clock, systemClock, timeOf } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type {
  AppendOperation,
  AppendResult,
  Awaitable,
  ConversationInfo,
  CreateOperation,
  Engine,
  EngineOptions,
  EngineStats,
  EntryPage,
  ListQuery,
  Operation,
  Outcome,
  PageQuery,
  TrashOperation,
  UpdateOperation,
  VerifyReport,
} from "../engine.ts";
import { activeAt, checkAppend, checkMove, compareForListing, notFound, resolveCreate } from "../rules.ts";
import { Catalogue, infoOf, type Known } from "./catalogue.ts";
import { ChangeCounter } from "./change-counter.ts";
import { ConversationFiles } from "./conversation-files.ts";
import { EntryIndex } from "./entry-index.ts";
import { COUNTER_FILE, freeStem, LOCK_FILE, logName, metadataName } from "./names.ts";
import { missingLog, OpenLogs } from "./open-logs.ts";
import { StoreFolder } from "./store-folder.ts";
import { measureFolder, verifyFolder } from "./verify.ts";

/** What the simulated disk of the tests replaces. */
export interface JsonlSurroundings {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Plain files: two for each conversation, in one folder, for any number of processes on one machine. */
export class JsonlEngine implements Engine {
  readonly name = "jsonl";
  readonly location: string;
  readonly #options: EngineOptions;
  readonly #io: FileIo;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lock: FileLock;
  readonly #counter: ChangeCounter;
  readonly #catalogue: Catalogue;
  readonly #files: ConversationFiles;
  readonly #folder: StoreFolder;
  readonly #logs: OpenLogs;
  readonly #reported = new Set<string>();

  static async open(
    folder: string,
    options: EngineOptions,
    surroundings: JsonlSurroundings = {},
  ): Promise<JsonlEngine> {
    const engine = new JsonlEngine(resolve(folder), options, surroundings);
    await engine.#folder.prepare(options.readonly, (work) => engine.#locked(work));
    return engine;
  }

  private constructor(folder: string, options: EngineOptions, surroundings: JsonlSurroundings) {
    this.location = folder;
    this.#options = options;
    this.#io = surroundings.io ?? systemIo;
    this.#clock = surroundings.clock ?? systemClock;
    this.#random = surroundings.random ?? systemRandom;
    this.#lock = this.#io.lock(join(folder, LOCK_FILE));
    this.#counter = new ChangeCounter(this.#io, join(folder, COUNTER_FILE));
    this.#files = new ConversationFiles(this.#io, this.#random, this.#clock, folder);
    this.#catalogue = new Catalogue(this.#io, folder, this.#counter, {
      badLine: (path, line) => this.#badLine(path, line),
      damagedMetadata: (path, reason) =>
        this.#report(path, `${path} is damaged (${reason}); what can be known without it is used`),
      leftAlone: (path, reason) => this.#report(path, `${path} was left alone: ${reason}`),
    });
    this.#folder = new StoreFolder(this.#io, this.#random, folder);
    this.#logs = new OpenLogs({
      io: this.#io,
      random: this.#random,
      nowMs: this.#clock,
      durable: options.durability === "full",
      catalogue: this.#catalogue,
      files: this.#files,
      badLine: (path, line) => this.#badLine(path, line),
      problem: (error) => options.onProblem(error),
      locked: (work) => this.#locked(work),
    });
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    // Mostly the lock is free, and one writer needs one sync: then there is nothing to wait for.
    if (!this.#lock.tryAcquire()) return this.#locked(() => this.#commit(operations));
    let held = true;
    try {
      const outcomes = this.#commit(operations);
      if (Array.isArray(outcomes)) return outcomes;
      held = false;
      return outcomes.finally(() => this.#lock.release());
    } finally {
      if (held) this.#lock.release();
    }
  }

  /** Under the lock. */
  #commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    const outcomes: Outcome[] = [];
    const written = new Map<LogWriter, number[]>();
    operations.forEach((operation, index) => {
      const wrote = (writer: LogWriter): void => {
        const indexes = written.get(writer);
        if (indexes === undefined) written.set(writer, [index]);
        else indexes.push(index);
      };
      outcomes.push(this.#attempt(operation, wrote));
    });
    if (written.size > 1) return this.#syncAll(written, outcomes);
    for (const [writer, indexes] of written) {
      try {
        writer.sync();
      } catch (error) {
        this.#notDurable(writer, indexes, outcomes, error);
      }
    }
    return outcomes;
  }

  #attempt(operation: Operation, wrote: (writer: LogWriter) => void): Outcome {
    try {
      switch (operation.type) {
        case "create":
          return { ok: true, info: this.#create(operation) };
        case "append":
          return { ok: true, append: this.#append(operation, wrote) };
        case "update":
          return { ok: true, info: this.#update(operation) };
        default:
          return { ok: true, info: this.#moveToTrashOrBack(operation) };
      }
    } catch (error) {
      return { ok: false, error: asColloquyError(error, `Cannot write to ${this.location}`) };
    }
  }

  /** One sync for each file, all at the same time. */
  async #syncAll(written: ReadonlyMap<LogWriter, number[]>, outcomes: Outcome[]): Promise<Outcome[]> {
    const sync = ([writer, indexes]: [LogWriter, number[]]): Promise<void> =>
      writer.syncLater().catch((error) => this.#notDurable(writer, indexes, outcomes, error));
    await Promise.all([...written].map(sync));
    return outcomes;
  }

  /** Appends whose sync failed are not acknowledged. */
  #notDurable(writer: LogWriter, indexes: readonly number[], outcomes: Outcome[], error: unknown): void {
    for (const index of indexes) outcomes[index] = { ok: false, error: error as ColloquyError };
    // The writer has cut the file back: what was counted is not there any more.
    this.#catalogue.recount(writer.path);
  }

  #create(create: CreateOperation): ConversationInfo {
    const existing = resolveCreate(create, this);
    if (existing !== undefined) return existing;
    const { id, key, title, channel, model, profileId, at } = create;
    this.#catalogue.checkChanges();
    const taken = (stem: string): boolean =>
      this.#catalogue.has(stem) || this.#io.stat(join(this.location, logName(stem))) !== undefined;
    const stem = freeStem(timeOf(at), taken);
    const metadata = newMetadata({ id, key, title, channel, model, profileId, createdAt: at });
    return this.#changing(stem, () => this.#createFiles(stem, metadata));
  }

  /** A creation that fails halfway must not have created anything. */
  #createFiles(stem: string, metadata: Metadata): void {
    const logPath = join(this.location, logName(stem));
    const log = createLog(this.#io, this.#random, logPath, headerOf(metadata));
    try {
      this.#files.writeMetadata(join(this.location, metadataName(stem)), { ...metadata, log });
    } catch (error) {
      this.#io.remove(logPath);
      throw error;
    }
  }

  #append(append: AppendOperation, wrote: (writer: LogWriter) => void): AppendResult {
    const known = this.#catalogue.peek(append.conversation);
    if (known === undefined || known.trashed) throw notFound(append.conversation);
    const open = this.#logs.open(known);
    const { writer } = open;
    const { head } = writer.state;
    const index = (): EntryIndex => {
      open.index ??= new EntryIndex(this.#io, known.logPath);
      return open.index;
    };
    const replay = checkAppend(append, {
      head,
      byOperation: (operationId) => index().byOperation(operationId),
      byEntryId: (id) => index().byId(id),
    });
    if (replay !== undefined) {
      // Whoever wrote it may have died before the sync, or its sync is still to come and may fail.
      wrote(writer);
      return { replayed: true, entries: replay };
    }
    const { bytes, lastSeq } = writer.state;
    writer.append(append.entries, append.operationId);
    wrote(writer);
    open.index?.readOn(bytes);
    // Otherwise the next look at the file would read back what was just written.
    known.log = writer.state;
    known.metadata = { ...known.metadata, updatedAt: append.at, log: writer.state };
    this.#logs.metadataBehind(open);
    return { replayed: false, firstSeq: lastSeq + 1, parentId: head };
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const known = this.#live(conversation);
    this.#logs.reportEarlier(known.metadata.id);
    this.#logs.sync(conversation);
    return this.#changing(known.stem, () => {
      this.#files.setDamagedAside(known);
      this.#files.writeMetadata(known.metadataPath, {
        ...known.metadata,
        ...patch,
        updatedAt: at,
        log: known.log,
      });
    });
  }

  #moveToTrashOrBack(move: TrashOperation): ConversationInfo {
    const { id } = checkMove(move, this);
    const known = this.#catalogue.byId(id);
    if (known === undefined) throw notFound(id);
    if (known.logMissing) this.#logs.completeLog(known);
    this.#logs.sync(id);
    this.#logs.close(id);
    const deletedAt = move.type === "trash" ? move.at : null;
    return this.#changing(known.stem, () => {
      this.#files.setDamagedAside(known);
      this.#files.move(known, { ...known.metadata, deletedAt, updatedAt: move.at, log: known.log });
    });
  }

  /** A change that others must notice. Under the lock. */
  #changing(stem: string, change: () => void): ConversationInfo {
    this.#catalogue.checkChanges();
    this.#counter.during(change);
    const known = this.#catalogue.reread(stem);
    this.#catalogue.trustCounter();
    if (known === undefined) throw unavailable(`Cannot read back what was written to ${this.location}`);
    return infoOf(known);
  }

  #live(id: string): Known {
    const known = this.#catalogue.byId(id);
    if (known === undefined || known.trashed) throw notFound(id);
    return known;
  }

  byId(id: string): ConversationInfo | undefined {
    const known = this.#catalogue.byId(id);
    return known === undefined ? undefined : infoOf(known);
  }

  byKey(key: string): ConversationInfo | undefined {
    const known = this.#catalogue.byKey(key);
    return known === undefined ? undefined : infoOf(known);
  }

  list({ trash, limit, after }: ListQuery): ConversationInfo[] {
    return this.#catalogue
      .all()
      .filter((known) => known.trashed === trash)
      .map((known) => ({
        known,
        id: known.metadata.id,
        at: activeAt({ lastMessageAt: known.log.lastMessageAt, createdAt: known.metadata.createdAt }),
      }))
      .filter((item) => after === undefined || compareForListing(after, item) < 0)
      .sort(compareForListing)
      .slice(0, limit)
      .map(({ known }) => infoOf(known));
  }

  page(query: PageQuery): EntryPage {
    const reader = this.#reader(query.conversation);
    if (reader === undefined) return { entries: [], more: false };
    using _ = reader;
    return reader.page(query);
  }

  locate(conversation: string, entryId: string): number | undefined {
    const reader = this.#reader(conversation);
    if (reader === undefined) return undefined;
    using _ = reader;
    return reader.locate(entryId);
  }

  #reader(conversation: string): LogReader | undefined {
    let known = this.#catalogue.byId(conversation);
    // Another process may be moving it: what is really missing is missing twice.
    if (known?.logMissing) known = this.#catalogue.reread(known.stem);
    if (known === undefined || known.trashed) return undefined;
    if (known.logMissing) {
      if (known.log.messages > 0) throw missingLog(known);
      return undefined;
    }
    const { logPath } = known;
    const bad = (line: BadLine): void => this.#badLine(logPath, line);
    const end = known.seenLog && { ...known.log, inode: known.seenLog.inode };
    return new LogReader(this.#io, logPath, bad, end);
  }

  verify(): VerifyReport {
    return verifyFolder(this.#io, this.location);
  }

  stats(): EngineStats {
    return measureFolder(this.#io, this.location, this.#catalogue.all());
  }

  async close(): Promise<void> {
    try {
      await this.#logs.closeAll();
    } finally {
      this.#counter.close();
      this.#lock.close();
    }
  }

  #locked<T>(work: () => Promise<T> | T): Promise<T> {
    return locked(this.#lock, this.location, work, this.#options.lockWaitMs);
  }

  #badLine(path: string, line: BadLine): void {
    this.#report(`${path}:${line.start}`, `${path}: bytes ${line.start} to ${line.end}: ${line.reason}`);
  }

  #report(place: string, message: string): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    this.#options.onProblem(unavailable(message));
  }
}
