import { join, resolve } from "node:path";
import { type FileIo, type FileLock, systemIo } from "../../disk/file-io.ts";
import { withLock } from "../../disk/with-lock.ts";
import { asColloquyError } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { type LogEnd, type LogTip, tipOf } from "../../tree/place-entries.ts";
import { FairTurns } from "../../util/fair-turns.ts";
import { withPauses } from "../../util/steps.ts";
import { type Clock, systemClock } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type { Awaitable, Engine, EngineOptions, EngineSupports, LegacyConversation } from "../engine.ts";
import { endingPage, openingIn } from "../opening-rules.ts";
import type { Erased, Operation, Outcome } from "../operations.ts";
import { textOfPage } from "../page-text.ts";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  Counts,
  EngineStats,
  EntryPage,
  Facets,
  FeedPlace,
  Finding,
  JobQuery,
  ListQuery,
  OpenTurn,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
  VerifyReport,
} from "../queries.ts";
import { NOTHING_ERASED } from "../removal-rules.ts";
import {
  activeAt,
  type ConversationLookup,
  compareForListing,
  facetsOf,
  passesFilter,
  unsupported,
} from "../rules.ts";
import { BlobFiles } from "./blobs/blob-files.ts";
import { BlobReferences } from "./blobs/blob-references.ts";
import { backupStore } from "./care/backup.ts";
import { countStore, measureStore } from "./care/measure.ts";
import { repairFolder } from "./care/repair.ts";
import { verifyFolder } from "./care/verify.ts";
import { Commit } from "./commit.ts";
import { finishPurges } from "./erase/purge.ts";
import { PurgeMarks } from "./erase/purge-marks.ts";
import { completeFeed } from "./feed/complete-feed.ts";
import { Feed } from "./feed/feed.ts";
import { readChanges } from "./feed/feed-reader.ts";
import { changeRecord } from "./feed/feed-record.ts";
import { clearWay, prepareFeed, settleFeed } from "./feed/feed-repair.ts";
import { Catalogue } from "./folder/catalogue.ts";
import { infoOf } from "./folder/catalogue-entry.ts";
import { ChangeCounter } from "./folder/change-counter.ts";
import { ConversationFiles } from "./folder/conversation-files.ts";
import { lookupIn } from "./folder/conversations.ts";
import { COUNTER_FILE, FEED_FILE, LOCK_FILE } from "./folder/names.ts";
import { ProblemReporter } from "./folder/problem-reporter.ts";
import { StoreFolder } from "./folder/store-folder.ts";
import { JobFile } from "./jobs/job-file.ts";
import type { JsonlContext } from "./jsonl-context.ts";
import { LegacyIo } from "./legacy/legacy-io.ts";
import { finishMigrations, migrateConversation } from "./legacy/migrate.ts";
import { legacyConversations } from "./legacy/report.ts";
import { locateEntry, readLogEnd, readOpening, readPage } from "./log/log-queries.ts";
import { OpenLogs } from "./log/open-logs.ts";
import { Journals } from "./turns/journals.ts";
import { LeaseFiles } from "./turns/lease-files.ts";

/** The environment, which tests replace with a simulated disk. */
export interface JsonlSurroundings {
  readonly io?: FileIo;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** An engine of plain files, a few for each conversation, for any number of processes on one machine. */
export class JsonlEngine implements Engine {
  readonly name = "jsonl";
  readonly supports: EngineSupports = { backup: true, repair: true, legacy: true };
  readonly location: string;
  readonly #options: EngineOptions;
  readonly #lock: FileLock;
  readonly #turns = new FairTurns();
  readonly #context: JsonlContext;
  readonly #lookup: ConversationLookup;

  static async open(
    folder: string,
    options: EngineOptions,
    surroundings: JsonlSurroundings = {},
  ): Promise<JsonlEngine> {
    const engine = new JsonlEngine(resolve(folder), options, surroundings);
    const store = new StoreFolder(engine.#context, engine.location);
    const prepared = store.prepare(options.readonly, (work) =>
      engine.#withLock(() => {
        const result = work();
        engine.#tidy();
        return result;
      }),
    );
    try {
      await prepared;
      if (!options.readonly) await completeFeed(engine.#context, (work) => engine.#withLock(work));
      for (const path of engine.#context.legacy.others()) {
        engine.#context.problems.leftAlone(path, "it is not a transcript of Colloquy or of its predecessors");
      }
      return engine;
    } catch (error) {
      // The lock and the files that are open already.
      await engine.close().catch(() => {});
      throw asColloquyError(error, `Cannot open ${engine.location}`);
    }
  }

  private constructor(folder: string, options: EngineOptions, surroundings: JsonlSurroundings) {
    this.location = folder;
    this.#options = options;
    const { clock: nowMs = systemClock, random = systemRandom } = surroundings;
    const io = new LegacyIo(surroundings.io ?? systemIo, folder);
    const { readonly } = options;
    const durable = options.durability === "full";
    this.#lock = io.lock(join(folder, LOCK_FILE));
    const counter = new ChangeCounter(io, join(folder, COUNTER_FILE));
    const feed = new Feed(io, random, join(folder, FEED_FILE), { readonly, durable });
    const files = new ConversationFiles(io, random, nowMs, folder, () => feed.syncAll());
    const problems = new ProblemReporter(io, options.onProblem);
    const catalogue = new Catalogue(io, folder, counter, problems);
    const problem = options.onProblem;
    const withLock = <T>(work: () => T): Promise<T> => this.#withLock(work);
    const logs = new OpenLogs({ io, random, nowMs, durable, catalogue, files, problems, problem, withLock });
    const blobs = new BlobFiles(io, random, folder);
    this.#context = {
      lock: this.#lock,
      folder,
      io,
      random,
      nowMs,
      durable,
      counter,
      catalogue,
      files,
      logs,
      blobs,
      problems,
      references: new BlobReferences(io, catalogue, blobs),
      journals: new Journals(io, random, nowMs, folder, durable),
      leases: new LeaseFiles(io, random, nowMs, folder),
      feed,
      marks: new PurgeMarks(io, folder),
      jobs: new JobFile({ io, random, nowMs, folder, durable, problems }),
      legacy: io,
      legacyPolicy: options.legacy ?? "migrate",
    };
    this.#lookup = lookupIn(this.#context);
  }

  /** Complete operations that a crash interrupted, under the lock. */
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
    if (this.#turns.isOver) return this.#turns.pause().then(() => this.commit(operations));
    // Usually the lock is free and one file needs a sync, so there is nothing to wait for.
    if (!this.#lock.tryAcquire()) {
      this.#turns.contended();
      return this.#withLock(run).finally(() => this.#turns.released());
    }
    let held = true;
    try {
      const outcomes = run();
      if (Array.isArray(outcomes)) return outcomes;
      held = false;
      return outcomes.finally(() => this.#release());
    } finally {
      if (held) this.#release();
    }
  }

  #release(): void {
    this.#lock.release();
    this.#turns.released();
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

  facets(): Facets {
    const listed = this.#context.catalogue.all().filter(({ trashed }) => !trashed);
    return facetsOf(listed.map(({ metadata }) => metadata));
  }

  openings(conversations: readonly string[]): StoredEntry[][] {
    return conversations.map((id) => openingIn(readOpening(this.#context, id)));
  }

  endings(conversations: readonly string[]): (StoredEntry | undefined)[] {
    return conversations.map((id) => this.page(endingPage(id)).entries[0]);
  }

  page(query: PageQuery): EntryPage {
    return readPage(this.#context, query);
  }

  pageText(query: TextQuery): PageText {
    return textOfPage(this.page({ ...query, kind: "message" }));
  }

  locate(conversation: string, entryId: string): number | undefined {
    return locateEntry(this.#context, conversation, entryId);
  }

  logEnd(conversation: string): LogEnd | undefined {
    return readLogEnd(this.#context, conversation);
  }

  logEnds(conversations: readonly string[]): (LogTip | undefined)[] {
    return conversations.map((conversation) => tipOf(this.logEnd(conversation)));
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    const known = this.#context.catalogue.peek(conversation);
    return known === undefined || known.trashed ? undefined : this.#context.journals.turn(known, from);
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#context.blobs.part(hash, offset, length);
  }

  jobs(query: JobQuery): QueuedJob[] {
    return this.#context.jobs.page(query);
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    const page = readChanges(this.#context, after, limit, (index) => this.#clearFeed(index));
    return { changes: page.changes, place: page.place };
  }

  /** False if another process holds the lock, or the store is read-only. */
  #clearFeed(index: number): boolean {
    if (this.#options.readonly || !this.#lock.tryAcquire()) return false;
    try {
      clearWay(this.#context, index);
      return true;
    } finally {
      this.#lock.release();
    }
  }

  purged(from: string, limit: number): string[] {
    return this.#context.marks.from(from, limit);
  }

  async backup(path: string): Promise<readonly Finding[]> {
    // A read-only store may be in a folder where no lock can be taken.
    const { readonly } = this.#options;
    await backupStore(this.#context, resolve(path), async (work) =>
      readonly ? work() : this.#withLock(work),
    );
    // Damaged lines are copied as they are.
    return [];
  }

  verify(): Promise<VerifyReport> {
    return verifyFolder(this.#context);
  }

  async repair(from?: string): Promise<Finding[]> {
    if (from !== undefined) throw unsupported(this.name, "a repair from a backup");
    return this.#withLock(() => withPauses(repairFolder(this.#context)));
  }

  legacyConversations(): LegacyConversation[] {
    return legacyConversations(this.#context);
  }

  migrateLegacy(conversation: string): Promise<string | undefined> {
    return this.#withLock(() => {
      const known = this.#context.catalogue.byId(conversation);
      return known === undefined ? undefined : migrateConversation(this.#context, known);
    });
  }

  /** A removal rewrites or removes the files itself, and its receipt names the copies. */
  erase(): Erased {
    return NOTHING_ERASED;
  }

  counts(): Counts {
    return countStore(this.#context);
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

  #withLock<T>(work: () => Promise<T> | T): Promise<T> {
    return withLock(this.#lock, this.location, work, this.#options.lockWaitMs);
  }
}
