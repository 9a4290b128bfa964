import { join, resolve } from "node:path";
import { type FileIo, type FileLock, systemIo } from "../../disk/file-io.ts";
import { withLock } from "../../disk/with-lock.ts";
import { asColloquyError, unavailable } from "../../errors.ts";
import { LogReader } from "../../transcript/log-reader.ts";
import type { BadLine } from "../../transcript/log-state.ts";
import { isSingle, pathOf } from "../../tree/path.ts";
import { type LogEnd, targetBranch } from "../../tree/place-entries.ts";
import { ownerOf } from "../../tree/tree.ts";
import { type Clock, systemClock } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type { Awaitable, Engine, EngineOptions, EngineSupports, LegacyConversation } from "../engine.ts";
import type { Operation, Outcome } from "../operations.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  EngineStats,
  EntryPage,
  FeedPlace,
  Finding,
  ListQuery,
  OpenTurn,
  PageQuery,
  VerifyReport,
} from "../queries.ts";
import { activeAt, type ConversationLookup, compareForListing, passesFilter } from "../rules.ts";
import { BlobFiles } from "./blobs/blob-files.ts";
import { BlobReferences } from "./blobs/blob-references.ts";
import { backupStore } from "./care/backup.ts";
import { measureStore } from "./care/measure.ts";
import { verifyFolder } from "./care/verify.ts";
import { Commit } from "./commit.ts";
import { finishPurges } from "./erase/purge.ts";
import { Feed } from "./feed/feed.ts";
import { readChanges } from "./feed/feed-reader.ts";
import { changeRecord } from "./feed/feed-record.ts";
import { prepareFeed, settleFeed } from "./feed/feed-repair.ts";
import { Catalogue } from "./folder/catalogue.ts";
import { type CatalogueEntry, infoOf } from "./folder/catalogue-entry.ts";
import { ChangeCounter } from "./folder/change-counter.ts";
import { ConversationFiles } from "./folder/conversation-files.ts";
import { lookupIn } from "./folder/conversations.ts";
import { COUNTER_FILE, FEED_FILE, LOCK_FILE } from "./folder/names.ts";
import { StoreFolder } from "./folder/store-folder.ts";
import type { JsonlContext } from "./jsonl-context.ts";
import type { LegacyFile } from "./legacy/legacy-file.ts";
import { LegacyIo } from "./legacy/legacy-io.ts";
import { finishMigrations, migrateConversation } from "./legacy/migrate.ts";
import { missingLog, OpenLogs } from "./log/open-logs.ts";
import { Journals } from "./turns/journals.ts";
import { LeaseFiles } from "./turns/lease-files.ts";

/** What the simulated disk of the tests replaces. */
export interface JsonlSurroundings {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Plain files: a few for each conversation, in one folder, for any number of processes on one machine. */
export class JsonlEngine implements Engine {
  readonly name = "jsonl";
  readonly supports: EngineSupports = { backup: true, repair: true, legacy: true };
  readonly location: string;
  readonly #options: EngineOptions;
  readonly #lock: FileLock;
  readonly #context: JsonlContext;
  readonly #lookup: ConversationLookup;
  readonly #reported = new Set<string>();

  static async open(
    folder: string,
    options: EngineOptions,
    surroundings: JsonlSurroundings = {},
  ): Promise<JsonlEngine> {
    const engine = new JsonlEngine(resolve(folder), options, surroundings);
    const { io, random } = engine.#context;
    const store = new StoreFolder(io, random, engine.location);
    const prepared = store.prepare(options.readonly, (work) =>
      engine.#withLock(() => {
        const result = work();
        engine.#tidy();
        return result;
      }),
    );
    await prepared.catch((error: unknown) => {
      throw asColloquyError(error, `Cannot open ${engine.location}`);
    });
    for (const path of engine.#context.legacy.others()) {
      engine.#report(path, `${path} was left alone: it is no transcript of Colloquy or of its forerunners`);
    }
    return engine;
  }

  private constructor(folder: string, options: EngineOptions, surroundings: JsonlSurroundings) {
    this.location = folder;
    this.#options = options;
    const { clock: nowMs = systemClock, random = systemRandom } = surroundings;
    const io = new LegacyIo(surroundings.io ?? systemIo, folder);
    const { readonly } = options;
    const durable = options.durability === "full";
    const badLine = (path: string, line: BadLine): void => {
      const legacy = io.isEmpty ? undefined : io.ofLog(path);
      if (legacy === undefined)
        this.#report(`${path}:${line.start}`, `${path}: bytes ${line.start} to ${line.end}: ${line.reason}`);
      else this.#reportLegacy(legacy);
    };
    this.#lock = io.lock(join(folder, LOCK_FILE));
    const counter = new ChangeCounter(io, join(folder, COUNTER_FILE));
    const files = new ConversationFiles(io, random, nowMs, folder);
    const catalogue = new Catalogue(io, folder, counter, {
      badLine,
      damagedMetadata: (path, reason) =>
        this.#report(path, `${path} is damaged (${reason}); what can be known without it is used`),
      leftAlone: (path, reason) => this.#report(path, `${path} was left alone: ${reason}`),
      uncounted: (path) => io.notice(path),
      isLegacy: (stem) => io.ofStem(stem) !== undefined,
    });
    const problem = options.onProblem;
    const withLock = <T>(work: () => T): Promise<T> => this.#withLock(work);
    const logs = new OpenLogs({ io, random, nowMs, durable, catalogue, files, badLine, problem, withLock });
    const blobs = new BlobFiles(io, random, folder);
    this.#context = {
      ...{ folder, io, random, nowMs, durable, counter, catalogue, files, logs, blobs, badLine },
      references: new BlobReferences(io, catalogue, blobs),
      journals: new Journals(io, random, nowMs, folder, durable),
      leases: new LeaseFiles(io, random, nowMs, folder),
      feed: new Feed(io, random, join(folder, FEED_FILE), { readonly, durable }),
      report: (place, message) => this.#report(place, message),
      legacy: io,
      legacyPolicy: options.legacy ?? "migrate",
    };
    this.#lookup = lookupIn(this.#context);
  }

  /** Under the lock: what a crash left undone. */
  #tidy(): void {
    const { blobs, feed } = this.#context;
    blobs.tidy();
    finishMigrations(this.#context);
    const purged = finishPurges(this.#context);
    prepareFeed(this.#context);
    if (purged.length === 0) return;
    settleFeed(this.#context);
    feed.add(purged.map(({ stem, id }) => changeRecord("purged", stem, id)));
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    const run = (): Awaitable<Outcome[]> => new Commit(this.#context).run(operations);
    // Mostly the lock is free, and one writer needs one sync: then there is nothing to wait for.
    if (!this.#lock.tryAcquire()) return this.#withLock(run);
    let held = true;
    try {
      const outcomes = run();
      if (Array.isArray(outcomes)) return outcomes;
      held = false;
      return outcomes.finally(() => this.#lock.release());
    } finally {
      if (held) this.#lock.release();
    }
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#lookup.byId(id);
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#lookup.byKey(key);
  }

  list({ trash, limit, after, filter }: ListQuery): ConversationInfo[] {
    return this.#context.catalogue
      .all()
      .filter(
        (known) => known.trashed === trash && (filter === undefined || passesFilter(infoOf(known), filter)),
      )
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
    if (query.asStored) return this.#storedPage(query);
    const known = this.#readable(query.conversation);
    if (known === undefined) return { entries: [], more: false };
    const { tree, lastSeq } = known.log;
    const branch = query.branch === null ? undefined : targetBranch(tree, query.branch);
    // Most conversations were never branched: their log is their path.
    const ranges = branch === undefined || isSingle(tree) ? undefined : pathOf(tree, branch, lastSeq);
    using reader = this.#reader(known);
    const { direction, from, limit, bytesMax, kind } = query;
    return { ...reader.page({ direction, from, limit, bytesMax, kind, ranges }), branch };
  }

  #storedPage({ conversation, direction, from, limit, bytesMax, kind }: PageQuery): EntryPage {
    const known = this.#readable(conversation, true);
    if (known === undefined) return { entries: [], more: false, branches: [] };
    using reader = this.#reader(known);
    const page = reader.page({ direction, from, limit, bytesMax, kind });
    const branches = page.entries.map(({ seq }) => ownerOf(known.log.tree, seq));
    const turn = this.#context.journals.turn(known, Number.MAX_SAFE_INTEGER)?.id;
    return { ...page, branches, turn };
  }

  locate(conversation: string, entryId: string): number | undefined {
    const known = this.#readable(conversation);
    if (known === undefined) return undefined;
    using reader = this.#reader(known);
    return reader.locate(entryId);
  }

  logEnd(conversation: string): LogEnd | undefined {
    const known = this.#context.catalogue.byId(conversation);
    if (known === undefined || known.trashed) return undefined;
    const { lastSeq, last, tree } = (this.#readable(conversation) ?? known).log;
    return { lastSeq, last, tree };
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    const known = this.#context.catalogue.peek(conversation);
    return known === undefined || known.trashed ? undefined : this.#context.journals.turn(known, from);
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#context.blobs.part(hash, offset, length);
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return readChanges(this.#context, after, limit, () => this.#settleFeed());
  }

  /** False when somebody is writing, or nothing may be written. */
  #settleFeed(): boolean {
    if (this.#options.readonly || !this.#lock.tryAcquire()) return false;
    try {
      settleFeed(this.#context);
      return true;
    } finally {
      this.#lock.release();
    }
  }

  backup(path: string): Promise<void> {
    // Who may only read may not be able to take the lock.
    const { readonly } = this.#options;
    return backupStore(this.#context, resolve(path), async (work) =>
      readonly ? work() : this.#withLock(work),
    );
  }

  verify(): VerifyReport {
    return verifyFolder(this.#context);
  }

  async repair(): Promise<Finding[]> {
    const { repairFolder } = await import("./care/repair.ts");
    return this.#withLock(() => repairFolder(this.#context));
  }

  async legacyConversations(): Promise<LegacyConversation[]> {
    const { legacyConversations } = await import("./legacy/report.ts");
    return legacyConversations(this.#context);
  }

  migrateLegacy(conversation: string): Promise<string | undefined> {
    return this.#withLock(() => {
      const known = this.#context.catalogue.byId(conversation);
      return known === undefined ? undefined : migrateConversation(this.#context, known);
    });
  }

  stats(): EngineStats {
    return measureStore(this.#context);
  }

  async close(): Promise<void> {
    const { logs, counter, leases, feed } = this.#context;
    try {
      await logs.closeAll();
      feed.writeDecided();
    } finally {
      feed.close();
      leases.close();
      counter.close();
      this.#lock.close();
    }
  }

  /** The conversation when its messages can be read, `undefined` when there can be none. */
  #readable(conversation: string, alsoTrash = false): CatalogueEntry | undefined {
    const { catalogue } = this.#context;
    let known = catalogue.byId(conversation);
    // Another process may be moving it: what is really missing is missing twice.
    if (known?.logMissing) known = catalogue.reread(known.stem);
    if (known === undefined || (known.trashed && !alsoTrash)) return undefined;
    if (known.logMissing && known.log.messages > 0) throw missingLog(known);
    return known.logMissing ? undefined : known;
  }

  #reader({ logPath, log, seenLog }: CatalogueEntry): LogReader {
    const { io, badLine } = this.#context;
    const end = seenLog && { ...log, inode: seenLog.inode };
    return new LogReader(io, logPath, (line) => badLine(logPath, line), end);
  }

  #withLock<T>(work: () => Promise<T> | T): Promise<T> {
    return withLock(this.#lock, this.location, work, this.#options.lockWaitMs);
  }

  #reportLegacy({ files, problems }: LegacyFile): void {
    for (const { start, end, reason } of problems.filter(({ code }) => code === "bad-line"))
      this.#report(`${files.log}:${start}`, `${files.log}: bytes ${start} to ${end}: ${reason}`);
  }

  #report(place: string, message: string): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    this.#options.onProblem(unavailable(message));
  }
}
