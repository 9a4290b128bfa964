import { join, resolve } from "node:path";
import { asColloquyError, ColloquyError, invalid, unavailable } from "../../errors.ts";
import { removeLeftovers, replaceFile } from "../../transcript/atomic.ts";
import { type FileIo, type FileLock, systemIo } from "../../transcript/io.ts";
import { FORMAT_VERSION } from "../../transcript/lines.ts";
import { locked } from "../../transcript/locked.ts";
import { LogReader } from "../../transcript/log-reader.ts";
import type { BadLine } from "../../transcript/log-state.ts";
import { createLog, LogWriter } from "../../transcript/log-writer.ts";
import type { Metadata } from "../../transcript/metadata.ts";
import { readChunk } from "../../transcript/scan.ts";
import { type Clock, systemClock } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type {
  AppendOperation,
  AppendResult,
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
import { activeAt, checkAppend, checkCreateRetry, compareForListing, keyTaken, notFound } from "../rules.ts";
import { Catalogue, infoOf, type Known } from "./catalogue.ts";
import { ChangeCounter } from "./change-counter.ts";
import { ConversationFiles } from "./conversation-files.ts";
import { EntryIndex } from "./entry-index.ts";
import {
  COUNTER_FILE,
  freeStem,
  LOCK_FILE,
  logName,
  MARKER_FILE,
  metadataName,
  stemOf,
  TRASH_FOLDER,
} from "./names.ts";
import { measureFolder, verifyFolder } from "./verify.ts";

/** What the simulated disk of the tests replaces. */
export interface JsonlSurroundings {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A conversation that this process writes to. */
interface Open {
  readonly writer: LogWriter;
  index: EntryIndex | undefined;
  /** The metadata file is behind the log. */
  stale: boolean;
  /** A refresh of the metadata that failed. The next write to the conversation reports it. */
  unreported: ColloquyError | undefined;
}

const OPEN_MAX = 256;
const METADATA_DELAY_MS = 1000;

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
  readonly #open = new Map<string, Open>();
  readonly #reported = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  static async open(
    folder: string,
    options: EngineOptions,
    surroundings: JsonlSurroundings = {},
  ): Promise<JsonlEngine> {
    const engine = new JsonlEngine(resolve(folder), options, surroundings);
    await engine.#prepareFolder();
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
        this.#report(path, `${path} is damaged (${reason}) and was rebuilt from what is there`),
      foreign: (path) => this.#report(path, `${path} is not a transcript of Colloquy and was left alone`),
    });
  }

  async #prepareFolder(): Promise<void> {
    const stat = this.#io.stat(this.location);
    if (stat !== undefined && !stat.isFolder) {
      throw invalid(`${this.location} is a file; the jsonl engine needs a folder`, "target");
    }
    if (this.#options.readonly) {
      if (stat === undefined || !(this.#checkMarker() || this.#holdsTranscripts())) {
        throw new ColloquyError("NOT_FOUND", `There is no store at ${this.location}`);
      }
      return;
    }
    try {
      if (stat === undefined) this.#io.makeFolder(this.location);
    } catch (error) {
      throw unavailable(`Cannot create ${this.location}: ${(error as Error).message}`, { cause: error });
    }
    if (stat !== undefined) this.#checkEmptyOrOurs();
    await this.#locked(() => {
      const marked = this.#checkMarker();
      for (const folder of [this.location, join(this.location, TRASH_FOLDER)]) {
        if (this.#io.stat(folder) !== undefined) removeLeftovers(this.#io, folder);
      }
      if (!marked) this.#writeMarker();
    });
  }

  /** Somebody's folder of other files is not taken over, and no lock file is left in it. */
  #checkEmptyOrOurs(): void {
    if (this.#checkMarker() || this.#holdsTranscripts()) return;
    const foreign = this.#io
      .list(this.location)
      .find((name) => !name.startsWith("store.") && !name.startsWith("."));
    if (foreign !== undefined) {
      throw invalid(
        `${this.location} is not empty (${foreign}) and holds no store: choose a folder of its own`,
        "target",
      );
    }
  }

  #holdsTranscripts(): boolean {
    return this.#io.list(this.location).some((name) => stemOf(name) !== undefined);
  }

  /** False when the folder has none yet. A newer format, or a marker of another program, is refused. */
  #checkMarker(): boolean {
    const path = join(this.location, MARKER_FILE);
    const stat = this.#io.stat(path);
    if (stat === undefined) return false;
    let marker: { format?: unknown; version?: unknown } | null = null;
    const file = this.#io.open(path, "read");
    try {
      marker = JSON.parse(readChunk(this.#io, file, 0, Math.min(stat.size, 4096)).toString("utf8"));
    } catch {
      // Judged below.
    } finally {
      this.#io.close(file);
    }
    if (marker?.format !== "colloquy-jsonl" || typeof marker.version !== "number") {
      throw invalid(
        `${this.location} belongs to another program: ${MARKER_FILE} is not Colloquy's`,
        "target",
      );
    }
    if (marker.version > FORMAT_VERSION) {
      throw new ColloquyError(
        "NOT_SUPPORTED",
        `${this.location} was written by a newer Colloquy (format ${marker.version}, this one knows ${FORMAT_VERSION}). Update Colloquy`,
      );
    }
    return true;
  }

  #writeMarker(): void {
    const marker = Buffer.from(`${JSON.stringify({ format: "colloquy-jsonl", version: FORMAT_VERSION })}\n`);
    replaceFile(join(this.location, MARKER_FILE), marker, { io: this.#io, random: this.#random });
  }

  async commit(operations: readonly Operation[]): Promise<Outcome[]> {
    return this.#locked(async () => {
      const outcomes: Outcome[] = [];
      const written = new Map<LogWriter, number[]>();
      operations.forEach((operation, index) => {
        outcomes.push(
          this.#attempt(operation, (writer) => written.set(writer, [...(written.get(writer) ?? []), index])),
        );
      });
      await this.#sync(written, outcomes);
      return outcomes;
    });
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

  /** One sync for each file, all at the same time. Appends whose sync fails are not acknowledged. */
  async #sync(written: ReadonlyMap<LogWriter, number[]>, outcomes: Outcome[]): Promise<void> {
    const sync = async (writer: LogWriter, indexes: number[]): Promise<void> => {
      try {
        if (written.size === 1) writer.sync();
        else await writer.syncLater();
      } catch (error) {
        for (const index of indexes) outcomes[index] = { ok: false, error: error as ColloquyError };
        // The writer has cut the file back: what was counted is not there any more.
        this.#catalogue.recount(writer.path);
      }
    };
    await Promise.all([...written].map(([writer, indexes]) => sync(writer, indexes)));
  }

  #create(create: CreateOperation): ConversationInfo {
    // Also for an id that must be new: what others did has to be known before the counter is trusted.
    const existing = this.#catalogue.byId(create.id);
    if (existing !== undefined) return checkCreateRetry(create, infoOf(existing));
    const { id, key, title, channel, model, profileId, at } = create;
    const holder = key === null ? undefined : this.#catalogue.byKey(key);
    if (holder !== undefined && key !== null) {
      if (create.resume) return infoOf(holder);
      throw keyTaken(key, holder.metadata.id);
    }
    this.#catalogue.checkChanges();
    const taken = (stem: string): boolean =>
      this.#catalogue.has(stem) || this.#io.stat(join(this.location, logName(stem))) !== undefined;
    const stem = freeStem(Date.parse(at), taken);
    return this.#changing(stem, () => {
      const header = { id, key, createdAt: at, generation: 1 };
      const log = createLog(this.#io, this.#random, join(this.location, logName(stem)), header);
      this.#files.writeMetadata(join(this.location, metadataName(stem)), {
        id,
        key,
        title,
        channel,
        model,
        profileId,
        contextState: null,
        compactionCount: 0,
        createdAt: at,
        updatedAt: at,
        deletedAt: null,
        log,
        other: {},
      });
    });
  }

  #append(append: AppendOperation, wrote: (writer: LogWriter) => void): AppendResult {
    const known = this.#live(append.conversation);
    const open = this.#openForWriting(known);
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
    known.metadata = { ...known.metadata, updatedAt: append.at };
    this.#metadataBehind(open);
    return { replayed: false, firstSeq: lastSeq + 1, parentId: head };
  }

  #update({ conversation, patch, at }: UpdateOperation): ConversationInfo {
    const known = this.#live(conversation);
    this.#reportEarlier(known);
    this.#syncAppends(conversation);
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

  #moveToTrashOrBack({ type, conversation, at }: TrashOperation): ConversationInfo {
    const known = this.#catalogue.byId(conversation);
    if (known === undefined || known.trashed !== (type === "restore")) throw notFound(conversation);
    const { key } = known.metadata;
    if (type === "restore" && key !== null) {
      const holder = this.#catalogue.byKey(key);
      if (holder !== undefined) throw keyTaken(key, holder.metadata.id);
    }
    if (known.logMissing) this.#completeLog(known);
    this.#syncAppends(conversation);
    this.#closeWriter(conversation);
    const deletedAt = type === "trash" ? at : null;
    return this.#changing(known.stem, () => {
      this.#files.setDamagedAside(known);
      this.#files.move(known, { ...known.metadata, deletedAt, updatedAt: at, log: known.log });
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

  #openForWriting(known: Known): Open {
    const { id, key, createdAt } = known.metadata;
    let open = this.#open.get(id);
    if (open !== undefined) this.#reportEarlier(known);
    else {
      if (known.logMissing) this.#completeLog(known);
      // It says how far the log has been synced, without which a torn append cannot be told from a damaged one.
      if (known.seenMetadata === undefined) this.#completeMetadata(known);
      if (this.#open.size >= OPEN_MAX) this.#closeOldest();
      open = { writer: this.#newWriter(known), index: undefined, stale: false, unreported: undefined };
      this.#open.set(id, open);
    }
    const { restarts, state } = open.writer;
    const before = state.bytes;
    const now = open.writer.refresh();
    if (open.writer.restarts !== restarts) open.index = undefined;
    else if (now.bytes !== before) open.index?.readOn(before);
    if (now.bytes === 0) open.writer.writeHeader({ id, key, createdAt, generation: 1 });
    return open;
  }

  #newWriter(known: Known): LogWriter {
    return new LogWriter(
      this.#io,
      known.logPath,
      {
        nowMs: this.#clock,
        durable: this.#options.durability === "full",
        bad: (line) => this.#badLine(known.logPath, line),
      },
      known.log,
      known.seenLog?.inode,
    );
  }

  /** Metadata without a log: a file was removed, or a crash came in between. Messages do not vanish silently. */
  #completeLog(known: Known): void {
    const { id, key, createdAt } = known.metadata;
    if (known.log.messages > 0) throw this.#missing(known);
    createLog(this.#io, this.#random, known.logPath, { id, key, createdAt, generation: 1 });
  }

  #completeMetadata(known: Known): void {
    this.#files.writeMetadata(known.metadataPath, { ...known.metadata, log: known.log });
    known.seenMetadata = this.#io.stat(known.metadataPath);
  }

  #missing(known: Known): ColloquyError {
    return unavailable(
      `The transcript ${known.logPath} is missing, and it had ${known.log.messages} messages`,
    );
  }

  #closeOldest(): void {
    for (const [id] of this.#open) {
      try {
        this.#syncAppends(id);
        this.#refreshMetadata(id);
      } catch {
        // The writer keeps the failure for those whose appends wait for this sync.
      }
      this.#closeWriter(id);
      return;
    }
  }

  /**
   * Appends of this transaction are synced at its end, unless something else
   * is written about the conversation before: metadata must not count what a
   * power cut can still take away, and a closed file cannot be synced.
   */
  #syncAppends(id: string): void {
    this.#open.get(id)?.writer.sync();
  }

  #closeWriter(id: string): void {
    this.#open.get(id)?.writer.close();
    this.#open.delete(id);
  }

  #reportEarlier(known: Known): void {
    const open = this.#open.get(known.metadata.id);
    const cause = open?.unreported;
    if (open === undefined || cause === undefined) return;
    open.unreported = undefined;
    throw unavailable(
      `The metadata of conversation ${known.metadata.id} could not be written after its last message: ${cause.message}. The message is kept; this call did nothing and can be repeated`,
      { cause },
    );
  }

  #metadataBehind(open: Open): void {
    open.stale = true;
    this.#timer ??= setTimeout(() => this.#refreshStale(), METADATA_DELAY_MS).unref();
  }

  async #refreshStale(): Promise<void> {
    this.#timer = undefined;
    const stale = [...this.#open].filter(([, open]) => open.stale);
    try {
      await this.#locked(() => {
        for (const [id] of stale) this.#refreshMetadata(id);
      });
    } catch (error) {
      for (const [, open] of stale) open.unreported = asColloquyError(error, "Cannot refresh metadata");
    }
  }

  /** Under the lock. A failure is kept for the next write to the conversation. */
  #refreshMetadata(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined || !open.stale) return;
    try {
      const known = this.#catalogue.byId(id);
      open.stale = false;
      if (known === undefined || known.trashed) return;
      this.#files.setDamagedAside(known);
      const metadata: Metadata = { ...known.metadata, updatedAt: infoOf(known).updatedAt, log: known.log };
      this.#files.refreshMetadata(known.metadataPath, metadata);
      this.#catalogue.reread(known.stem);
    } catch (error) {
      open.unreported = asColloquyError(error, "Cannot refresh metadata");
    }
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
    const known = this.#catalogue.byId(conversation);
    if (known === undefined) return undefined;
    if (known.logMissing) {
      if (known.log.messages > 0) throw this.#missing(known);
      return undefined;
    }
    const bad = (line: BadLine): void => this.#badLine(known.logPath, line);
    const end = known.seenLog && { inode: known.seenLog.inode, bytes: known.log.bytes };
    return new LogReader(this.#io, known.logPath, bad, end);
  }

  verify(): VerifyReport {
    return verifyFolder(this.#io, this.location);
  }

  stats(): EngineStats {
    return measureFolder(this.#io, this.location, this.#catalogue.all());
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if ([...this.#open.values()].some(({ stale }) => stale)) await this.#refreshStale();
    } finally {
      for (const id of [...this.#open.keys()]) this.#closeWriter(id);
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
