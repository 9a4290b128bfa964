import type {
  Awaitable,
  ConversationInfo,
  Counts,
  Engine,
  EngineStats,
  Facets,
  FeedPlace,
  Removed,
  VerifyReport,
} from "../engine/index.ts";
import { ColloquyError, invalid, unavailable } from "../errors.ts";
import { checkConversationId, checkProperties } from "../message/validate.ts";
import type { BuildProgress, SemanticModel } from "../search/index.ts";
import { checkedDepths, type DepthLimits } from "../tree/branches.ts";
import { type Clock, checkedClock, isoTime } from "../util/time.ts";
import { UuidSequence } from "../util/uuid.ts";
import { mapped, type StoreAccess } from "./access.ts";
import { type BackupReport, backupTo } from "./backup/backup.ts";
import { type BlobSource, putBlob, readBlob, type StoredBlob } from "./blobs/blob-streams.ts";
import { Conversation } from "./conversation.ts";
import { type CopyOptions, type CopyReport, copyStore } from "./copy/copy-store.ts";
import { migrateLegacy } from "./copy/migrate-legacy.ts";
import { type RepairOptions, type RepairReport, repairStore, validateStore } from "./copy/repair.ts";
import { type Change, type ChangesOptions, changes } from "./feed/changes.ts";
import { Wakes } from "./feed/wakes.ts";
import { Jobs } from "./jobs/jobs.ts";
import { withContextState } from "./read/context-state.ts";
import {
  type ConversationQuery,
  type ListedConversation,
  listAll,
  listPage,
} from "./read/conversation-pages.ts";
import { encodeCursor } from "./read/cursor.ts";
import { type Listing, listing } from "./read/listing.ts";
import { findConversation, infoOfAny } from "./read/references.ts";
import { byKey, SessionKeys } from "./read/session-keys.ts";
import { Snapshot } from "./read/snapshot.ts";
import { type RetentionOptions, retain } from "./retention/apply-retention.ts";
import { wasPurged } from "./retention/erasure.ts";
import { forgetImports, isLostBlob } from "./retention/import-ledger.ts";
import type { Receipt } from "./retention/receipt.ts";
import type { RetentionPolicy, RetentionReport } from "./retention/retention.ts";
import { moveToTrash, type PurgeOptions, purge, restoreFromTrash } from "./retention/trash.ts";
import type { SearchListing } from "./search/search.ts";
import type { SearchOptions } from "./search/search-query.ts";
import { StoreSearch, searchPath } from "./search/store-search.ts";
import { sealInterrupted } from "./turns/turn-end.ts";
import { freeKey } from "./write/claim-key.ts";
import { Ingest } from "./write/ingest.ts";
import {
  type ConversationInit,
  CREATE_PROPERTIES,
  type CreateInit,
  checkInit,
  type InitFields,
  OPEN_PROPERTIES,
} from "./write/init.ts";
import type { Redaction } from "./write/redaction.ts";
import { WriteQueue } from "./write/write-queue.ts";

export interface StoreCounts extends Counts {
  readonly engine: string;
  readonly path: string | null;
}

export interface StoreStats extends StoreCounts, EngineStats {}

const HOUR_MS = 3_600_000;

export interface StoreSettings {
  readonly clock: Clock;
  readonly readonly: boolean;
  /** Whether the search index is in a file, if the engine has one. */
  readonly searchFile: boolean;
  readonly depthLimits: DepthLimits;
  readonly allowCircularReferences: boolean;
  readonly treeEnabled: boolean;
  readonly defaultCountry: string | undefined;
  readonly redaction: Redaction | undefined;
  readonly semantic: SemanticModel | undefined;
  readonly onWarning: (text: string) => void;
  readonly onProblem: (problem: ColloquyError) => void;
  readonly onClosed: () => void;
}

/** The front end of an engine: validates, assigns ids and times, and groups writes into transactions. */
export class Store {
  /** Things that are still to be done, and survive a kill. */
  readonly jobs: Jobs;
  /** @internal How messages are changed before they are stored. */
  readonly redaction: Redaction | undefined;
  readonly #engine: Engine;
  readonly #queue: WriteQueue;
  readonly #wakes: Wakes;
  readonly #clock: Clock;
  readonly #readonly: boolean;
  readonly #access: StoreAccess;
  readonly #search: StoreSearch;
  readonly #onClosed: () => void;
  #closed: Promise<void> | undefined;

  /** @internal Use `openStore`. */
  constructor(engine: Engine, options: StoreSettings) {
    this.#engine = engine;
    this.#wakes = new Wakes(engine.location);
    this.#queue = new WriteQueue(engine, () => this.#wakes.wake());
    this.#clock = checkedClock(options.clock);
    this.#readonly = options.readonly;
    this.redaction = options.redaction;
    this.#onClosed = options.onClosed;
    const ids = new UuidSequence();
    const access: Omit<StoreAccess, "search"> = {
      queue: this.#queue,
      wakes: this.#wakes,
      depthLimits: { ...options.depthLimits },
      allowCircularReferences: options.allowCircularReferences,
      keys: new SessionKeys(options.defaultCountry),
      redaction: options.redaction,
      nowMs: () => this.#clock(),
      newId: (nowMs) => ids.next(nowMs),
      warn: options.onWarning,
      problem: options.onProblem,
      ask: (question) => this.#ask(question),
      assertWritable: () => this.#assertWritable(),
      assertTree: () => {
        if (options.treeEnabled) return;
        throw new ColloquyError("NOT_SUPPORTED", "Branches are disabled (sessions.tree_enabled)");
      },
    };
    this.#search = new StoreSearch(
      access,
      options.searchFile ? searchPath(engine.name, engine.location) : null,
      options.semantic,
    );
    this.#access = { ...access, search: this.#search };
    this.jobs = new Jobs(this.#access);
  }

  /** The engine's name: `sqlite`, `jsonl`, `ephemeral`. */
  get engine(): string {
    return this.#engine.name;
  }

  /** The file or folder; `null` if there is none. */
  get path(): string | null {
    return this.#engine.location;
  }

  /** How deep branches may be. */
  get depthLimits(): DepthLimits {
    return this.#access.depthLimits;
  }

  /** Other limits from the next branch on. A missing one is the default. */
  limitDepths(depths: Partial<DepthLimits>): void {
    Object.assign(this.#access.depthLimits, checkedDepths(depths));
  }

  /** Resume the conversation that has this session key, or create it. */
  async open(key: string, init: ConversationInit = {}): Promise<Conversation> {
    const current = this.resolveKey(key);
    const fields = checkInit(init, OPEN_PROPERTIES);
    const existing = await byKey(this.#access, key);
    if (existing !== undefined) return this.#opened(existing.id);
    return this.#create({ ...fields, id: undefined, key: current }, true);
  }

  /** Create a conversation. A session key that is in use is a `CONFLICT`. */
  async create(init: CreateInit = {}): Promise<Conversation> {
    const fields = checkInit(init, CREATE_PROPERTIES);
    const id = init.id === undefined ? undefined : checkConversationId(init.id);
    return this.#create(
      { ...fields, id, key: init.key === undefined ? null : this.resolveKey(init.key) },
      false,
    );
  }

  /**
   * Start a new conversation under a session key. The one that has it keeps everything, under the same key followed
   * by `~` and a mark. One without messages is used again.
   */
  async startOver(key: string, init: ConversationInit = {}): Promise<Conversation> {
    const fields = checkInit(init, OPEN_PROPERTIES);
    const current = this.resolveKey(key);
    this.#assertWritable();
    const former = await byKey(this.#access, key);
    if (former?.messageCount === 0) return this.#opened(former.id);
    if (former !== undefined) await freeKey(this.#access, former.id, current);
    return this.#create({ ...fields, id: undefined, key: current }, true);
  }

  /** Get the conversation with this id or session key, or `undefined`. A reference that contains ":" is a key. */
  async get(idOrKey: string): Promise<Conversation | undefined> {
    const info = await findConversation(this.#access, idOrKey);
    return info === undefined ? undefined : this.#opened(info.id);
  }

  /** What is known of the conversation with this id, also in the trash, or session key, or `undefined`. */
  async info(idOrKey: string): Promise<ConversationInfo | undefined> {
    const info = await infoOfAny(this.#access, idOrKey);
    return info === undefined ? undefined : withContextState(this.#access, info);
  }

  /** The form in which the store keeps a session key, from any spelling of it. */
  resolveKey(key: string): string {
    return this.#access.keys.resolve(key);
  }

  /**
   * Conversations by last activity, newest first: await a page, or iterate over all. Reads no messages, except
   * for `firstWords`.
   */
  list(query: ConversationQuery = {}): Listing<ListedConversation> {
    const first = listPage(this.#access, query);
    return listing(first, () => listAll(this.#access, query, first));
  }

  /** The channels and models that conversations outside the trash have: what `list` can be filtered by. */
  facets(): Promise<Facets> {
    return this.#ask((engine) => engine.facets());
  }

  /**
   * Search in messages and titles, best hit first: await a page, or iterate over all hits.
   *
   * `text` is words, "phrases", prefix*, -exclusion, OR, and filters such as `role:user` or `before:2026-01`. There
   * are no malformed queries. The index is beside the store and is brought up to date first.
   */
  search(text: string, options: SearchOptions = {}): SearchListing {
    return this.#search.search(text, options);
  }

  /**
   * Build the search index again, which is also done without this when it is missing or damaged. If the store is closed
   * meanwhile, the next search or rebuild continues.
   */
  rebuildSearch(options: { readonly onProgress?: (progress: BuildProgress) => void } = {}): Promise<void> {
    checkProperties(options, REBUILD_PROPERTIES, "options");
    return mapped(() => this.#search.rebuild(options.onProgress));
  }

  /** Move a conversation to the trash, which frees its session key. `NOT_FOUND` if it does not exist. */
  delete(idOrKey: string): Promise<ConversationInfo> {
    return moveToTrash(this.#access, idOrKey);
  }

  /**
   * Restore a conversation from the trash: the one with this id, or the most recently deleted one that had this
   * session key. `CONFLICT` if its session key is in use.
   */
  restore(idOrKey: string): Promise<ConversationInfo> {
    return restoreFromTrash(this.#access, idOrKey);
  }

  /**
   * Permanently remove a conversation, with everything derived from it.
   *
   * Contract: a conversation that is not in the trash is a `CONFLICT`, unless `force` is set. A session key means
   * the conversation that has it, if `force` is set, or else the most recently deleted one that had it.
   */
  purge(idOrKey: string, options: PurgeOptions = {}): Promise<Receipt> {
    return purge(this.#access, idOrKey, options);
  }

  /** Apply limits on age, count and size. Removes only what a limit covers; `dryRun` only reports. */
  retain(policy: RetentionPolicy, options: RetentionOptions = {}): Promise<RetentionReport> {
    return retain(this, this.#access, policy, options);
  }

  /** Store bytes once, by their hash, in chunks. Messages can refer to them. */
  putBlob(source: BlobSource): Promise<StoredBlob> {
    return mapped(() => putBlob(this.#access, source));
  }

  /** Read the bytes of a blob in chunks, or `undefined` if there is none. */
  blob(hash: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return mapped(() => readBlob(this.#access, hash));
  }

  /** Remove unreferenced blobs that are older than a day, or than the given number of hours. */
  async collectGarbage(options: { readonly olderThanHours?: number } = {}): Promise<Removed> {
    checkProperties(options, COLLECT_PROPERTIES, "options");
    const { olderThanHours = 24 } = options;
    if (!(Number.isFinite(olderThanHours) && olderThanHours >= 0)) {
      throw invalid("olderThanHours must be 0 or more", "olderThanHours");
    }
    this.#assertWritable();
    const nowMs = this.#clock();
    const before = isoTime(Math.max(0, nowMs - olderThanHours * HOUR_MS));
    return this.#queue.push({ type: "collect", before, at: isoTime(nowMs) });
  }

  /**
   * A feed of everything that is committed, including by other processes.
   * Each change has a cursor; pass it as `since` to resume: nothing is missed or repeated.
   */
  changes(options: ChangesOptions = {}): AsyncGenerator<Change, void, undefined> {
    const end = (): Promise<{ readonly place: FeedPlace }> => this.#ask((engine) => engine.changes(null, 0));
    // Read immediately, so that changes before the first read are not missed.
    const now = options?.since === undefined ? end() : undefined;
    now?.catch(() => {});
    return changes(
      this.#access,
      options,
      () => now ?? end(),
      () => this.#closed !== undefined,
    );
  }

  /** The cursor of the last change so far: `changes({ since })` continues with the next one. */
  async lastChange(): Promise<string> {
    const { place } = await this.#ask((engine) => engine.changes(null, 0));
    return encodeCursor("f", ...place);
  }

  /** Write a copy that can be opened like the store itself, while others continue to write. */
  async backup(path: string): Promise<BackupReport> {
    return this.#ask((engine) => backupTo(engine, path, isoTime(this.#clock())));
  }

  /** Read everything in the store and report damage. Changes nothing. */
  async verify(): Promise<VerifyReport> {
    const report = await this.#ask((engine) => engine.verify());
    // The next import reads its sources again, and stores the bytes that are lost. A ledger is not part of the store.
    if (report.findings.some(isLostBlob)) await forgetImports(this.#access);
    return report;
  }

  /** Like `verify`, with the limits for trees: reports deep branches, and leaves out cycles that are allowed. */
  validate(): Promise<VerifyReport> {
    return validateStore(this, this.#access);
  }

  /**
   * Repair damage without deleting anything, and report the rest. What cannot
   * be read any more is taken from the backup `from`, if there is one.
   */
  repair(options: RepairOptions = {}): Promise<RepairReport> {
    return repairStore(this, this.#access, options);
  }

  /**
   * Copy every conversation to another store, including those in the trash, and compare both.
   *
   * Contract: nothing in the target is overwritten. A copy that was stopped, by `signal` or a kill, resumes with
   * the next call.
   */
  async copyTo(target: Store, options: CopyOptions = {}): Promise<CopyReport> {
    if (!(target instanceof Store)) throw invalid("target must be a store that is open", "target");
    return copyStore(this.#access, target.#access, options);
  }

  /** Rewrite legacy transcripts in the folder of a `jsonl:` store in the current format. */
  migrateLegacy(options: CopyOptions = {}): Promise<CopyReport> {
    return migrateLegacy(this.#access, options);
  }

  /** For imports: write entries with their original ids and times. */
  ingest(): Ingest {
    return new Ingest(this.#access);
  }

  /** For exports: a snapshot of a conversation, read a page at a time. */
  snapshot(idOrKey: string): Promise<Snapshot> {
    return Snapshot.take(this, this.#access, idOrKey);
  }

  /** How much there is. Reads no messages; `stats` does. */
  async counts(): Promise<StoreCounts> {
    const counts = await this.#ask((engine) => engine.counts());
    return { ...counts, engine: this.#engine.name, path: this.#engine.location };
  }

  async stats(): Promise<StoreStats> {
    const stats = await this.#ask((engine) => engine.stats());
    const top = await Promise.all(stats.top.map((info) => withContextState(this.#access, info)));
    return { ...stats, top, engine: this.#engine.name, path: this.#engine.location };
  }

  /** Whether a conversation with this id was purged from this store, or from the one that it is a copy of. */
  async wasPurged(id: string): Promise<boolean> {
    return wasPurged(this.#access, checkConversationId(id));
  }

  /** Finish pending writes and close the files. Calling it again has no effect. */
  close(): Promise<void> {
    this.#closed ??= Promise.all([this.#queue.close(), this.#search.close()])
      .then(() => mapped(() => this.#engine.close()))
      .finally(this.#onClosed);
    this.#wakes.close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Opening a conversation seals the partial answer of a process that died. */
  async #opened(id: string): Promise<Conversation> {
    if (
      !this.#readonly &&
      (await this.#ask((engine) => engine.turn(id, Number.MAX_SAFE_INTEGER))) !== undefined
    ) {
      await sealInterrupted(this.#access, id);
    }
    return new Conversation(this.#access, id);
  }

  async #create(
    init: Required<InitFields> & { id: string | undefined; key: string | null },
    resume: boolean,
  ): Promise<Conversation> {
    this.#assertWritable();
    const nowMs = this.#clock();
    const { id } = await this.#queue.push({
      type: "create",
      ...init,
      channel: init.channel ?? init.key?.slice(0, init.key.indexOf(":")) ?? null,
      id: init.id ?? this.#access.newId(nowMs),
      idGiven: init.id !== undefined,
      at: isoTime(nowMs),
      resume,
    });
    return new Conversation(this.#access, id);
  }

  #ask<T>(question: (engine: Engine) => Awaitable<T>): Promise<T> {
    return mapped(() => {
      this.#assertOpen();
      return question(this.#engine);
    });
  }

  #assertOpen(): void {
    if (this.#closed !== undefined) throw unavailable("The store is closed");
  }

  #assertWritable(): void {
    this.#assertOpen();
    if (this.#readonly) throw unavailable("The store was opened for reading only");
  }
}

const REBUILD_PROPERTIES: ReadonlySet<string> = new Set(["onProgress"]);
const COLLECT_PROPERTIES: ReadonlySet<string> = new Set(["olderThanHours"]);
