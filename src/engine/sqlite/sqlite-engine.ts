import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ColloquyError, unavailable } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { DamageError, isDamage } from "../../sqlite/damage.ts";
import { realPath } from "../../sqlite/place.ts";
import type { LogEnd, LogTip } from "../../tree/place-entries.ts";
import { isoTime } from "../../util/time.ts";
import type { Awaitable, Engine, EngineOptions, EngineSupports } from "../engine.ts";
import { endingPage } from "../opening-rules.ts";
import type { Erased, Operation, Outcome } from "../operations.ts";
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
import { unsupported } from "../rules.ts";
import { countStore } from "./care/counts.ts";
import { Connection, connect } from "./connection.ts";
import type { Eraser } from "./erase/eraser.ts";
import type { Infos } from "./log/infos.ts";
import { Fallback, lossesOf, reportLosses } from "./salvage/fallback.ts";
import type { Statements } from "./statements.ts";
import type { Tables } from "./tables.ts";
import type { Transactions } from "./transactions.ts";

/**
 * All conversations in one SQLite file, for any number of processes on one machine.
 *
 * Work that few programs ever do, such as a repair, is imported on first use.
 */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly supports: EngineSupports = { backup: true, repair: true, legacy: false };
  readonly location: string;
  readonly #options: EngineOptions;
  readonly #reported = new Set<string>();
  /** Answers in place of a damaged file. `undefined` if the database is itself a view of such a file. */
  readonly #fallback: Fallback<SqliteEngine> | undefined;
  /** What this view of a damaged file lacks. */
  readonly #lost: readonly Finding[];
  #connection: Connection;
  #eraser: Promise<Eraser> | undefined;
  /** Whether the last commit purged a part of a conversation, and the next one is to purge the rest. */
  #isPurging = false;

  static async open(path: string, options: EngineOptions): Promise<SqliteEngine> {
    const location = realPath(path);
    try {
      const engine = new SqliteEngine(location, await connect(location, options), options);
      // A killed process may have left it to the next opener. Nothing waits for it, except closing.
      if (!options.readonly && engine.#isErasurePending()) engine.erase().catch(() => {});
      return engine;
    } catch (error) {
      if (!options.readonly || !isDamage(error)) throw error;
      const { salvagedView } = await import("./salvage/view.ts");
      const view = salvagedView(location);
      if (view === undefined) throw error;
      const lost = lossesOf(location, error, view);
      const engine = new SqliteEngine(location, view.database, options, lost);
      reportLosses(lost, engine.#damaged);
      return engine;
    }
  }

  /** `lost`: the database is a view, which holds everything else that was in a damaged file. */
  private constructor(
    location: string,
    database: DatabaseSync,
    options: EngineOptions,
    lost?: readonly Finding[],
  ) {
    this.location = location;
    this.#options = options;
    this.#fallback = lost === undefined ? this.#newFallback() : undefined;
    this.#lost = lost ?? [];
    this.#connection = this.#connected(database);
  }

  #newFallback(): Fallback<SqliteEngine> {
    return new Fallback({
      location: this.location,
      connection: () => this.#connection,
      viewed: (database) => {
        const engine = new SqliteEngine(this.location, database, this.#options, []);
        return { engine, connection: engine.#connection };
      },
      damaged: this.#damaged,
    });
  }

  #connected(database: DatabaseSync): Connection {
    const damage = { damaged: this.#damaged, hidden: this.#hidden };
    return new Connection(this.location, database, this.#options, damage);
  }

  get #database(): DatabaseSync {
    return this.#connection.database;
  }

  get #sql(): Statements {
    return this.#connection.sql;
  }

  get #transactions(): Transactions {
    return this.#connection.transactions;
  }

  get #infos(): Infos {
    return this.#connection.infos;
  }

  get #tables(): Tables {
    return this.#connection.tables;
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    if (this.#isPurging) {
      this.#isPurging = false;
      return sleep(PURGE_PAUSE_MS).then(() => this.commit(operations));
    }
    const tables = this.#tables;
    return this.#transactions.write(
      () => {
        tables.refresh();
        const outcomes = operations.map((operation) => attempt(tables, operation));
        this.#isPurging = outcomes.some((outcome) => outcome.ok && outcome.removed?.more === true);
        return outcomes;
      },
      () => tables.forget(),
    );
  }

  async erase(): Promise<Erased> {
    this.#eraser ??= import("./erase/eraser.ts").then(
      ({ Eraser }) =>
        new Eraser(this.#database, this.#sql, this.#transactions, this.location, {
          remove: this.#remove,
          takeUnused: (isLeft) => this.#tables.takeUnused(isLeft),
          damaged: this.#damaged,
          dropReleased: () =>
            this.#transactions.write(
              () => this.#tables.dropReleased(),
              () => {},
            ),
        }),
    );
    return (await this.#eraser).erase();
  }

  readonly #remove = async (type: "purge" | "sweep", conversation: string): Promise<void> => {
    const at = isoTime(Date.now());
    let outcome: Outcome | undefined;
    do [outcome] = await this.commit([{ type, conversation, force: true, at }]);
    while (outcome?.ok && outcome.removed?.more === true);
  };

  byId(id: string): Awaitable<ConversationInfo | undefined> {
    return this.#query(
      () => this.#infos.byId(id),
      (whole) => whole.byId(id),
    );
  }

  byKey(key: string): Awaitable<ConversationInfo | undefined> {
    return this.#query(
      () => this.#infos.byKey(key),
      (whole) => whole.byKey(key),
    );
  }

  list(query: ListQuery): Awaitable<ConversationInfo[]> {
    return this.#query(
      () => this.#infos.list(query),
      (whole) => whole.list(query),
    );
  }

  locate(conversation: string, entryId: string): Awaitable<number | undefined> {
    return this.#query(
      () => this.#sql.seqOf.get(conversation, entryId)?.[0] as number | undefined,
      (whole) => whole.locate(conversation, entryId),
    );
  }

  facets(): Awaitable<Facets> {
    return this.#query(
      () => this.#infos.facets(),
      (whole) => whole.facets(),
    );
  }

  openings(conversations: readonly string[]): Awaitable<StoredEntry[][]> {
    return this.#read(
      (tables) => tables.openings(conversations),
      (whole) => whole.openings(conversations),
    );
  }

  endings(conversations: readonly string[]): Awaitable<(StoredEntry | undefined)[]> {
    return this.#read(
      (tables) => conversations.map((id) => tables.page(endingPage(id)).entries[0]),
      (whole) => whole.endings(conversations),
    );
  }

  page(query: PageQuery): Awaitable<EntryPage> {
    return this.#read(
      (tables) => tables.page(query),
      (whole) => whole.page(query),
    );
  }

  pageText(query: TextQuery): Awaitable<PageText> {
    return this.#read(
      (tables) => tables.pageText(query),
      (whole) => whole.pageText(query),
    );
  }

  logEnd(conversation: string): Awaitable<LogEnd | undefined> {
    return this.#read(
      (tables) => tables.logEnd(conversation),
      (whole) => whole.logEnd(conversation),
    );
  }

  logEnds(conversations: readonly string[]): Awaitable<(LogTip | undefined)[]> {
    return this.#read(
      (tables) => conversations.map((conversation) => tables.logTip(conversation)),
      (whole) => whole.logEnds(conversations),
    );
  }

  turn(conversation: string, from: number): Awaitable<OpenTurn | undefined> {
    return this.#read(
      (tables) => tables.turn(conversation, from),
      (whole) => whole.turn(conversation, from),
    );
  }

  blob(hash: string, offset: number, length: number): Awaitable<BlobPart | undefined> {
    return this.#read(
      (tables) => tables.blob(hash, offset, length),
      (whole) => whole.blob(hash, offset, length),
      true,
    );
  }

  jobs(query: JobQuery): Awaitable<QueuedJob[]> {
    return this.#read(
      (tables) => tables.jobs(query),
      (whole) => whole.jobs(query),
    );
  }

  changes(after: FeedPlace | null, limit: number): Awaitable<{ changes: Change[]; place: FeedPlace }> {
    return this.#read(
      (tables) => tables.changes(after, limit),
      (whole) => whole.changes(after, limit),
    );
  }

  purged(from: string, limit: number): string[] {
    return this.#transactions.query(() =>
      this.#sql.purgeMarks.all<[string]>(from, limit).map(([mark]) => mark),
    );
  }

  async backup(path: string): Promise<readonly Finding[]> {
    const { backupDatabase } = await import("./care/backup.ts");
    try {
      await backupDatabase(this.#database, this.location, path, this.#options);
      return this.#lost;
    } catch (error) {
      return this.#fromWhole(error, async (whole, lost) => {
        await backupDatabase(whole.#database, this.location, path, { ...this.#options, readonly: true });
        return lost;
      });
    }
  }

  async verify(): Promise<VerifyReport> {
    const { verifyStore } = await import("./care/verify-store.ts");
    try {
      const options = this.#fallback === undefined ? { ...this.#options, readonly: true } : this.#options;
      const report = await verifyStore(this.#connection, this.location, options);
      if (this.#lost.length === 0) return report;
      return { ...report, ok: false, findings: [...this.#lost, ...report.findings] };
    } catch (error) {
      return this.#fromWhole(error, async (whole, lost) => {
        const { conversations, entries } = await whole.verify();
        return { ok: false, conversations, entries, findings: [...lost] };
      });
    }
  }

  /** Counts are corrected in place. Any other damage replaces the file by one with everything that can be read. */
  async repair(from?: string): Promise<Finding[]> {
    const { repairDatabase } = await import("./care/repair.ts");
    if (!(await this.#needsRebuild(from))) {
      return this.#transactions.write(
        () => {
          this.#tables.forget();
          return repairDatabase(this.#database, this.#sql, this.location);
        },
        () => {},
      );
    }
    const { repairFile } = await import("./salvage/repair-file.ts");
    await this.close();
    try {
      return await repairFile(this.location, { from, lockWaitMs: this.#options.lockWaitMs });
    } finally {
      this.#connection = this.#connected(await connect(this.location, this.#options));
    }
  }

  async #needsRebuild(from: string | undefined): Promise<boolean> {
    const [{ findings }, { needsNewFile }] = await Promise.all([this.verify(), import("./care/repair.ts")]);
    if (needsNewFile(findings)) return true;
    return from !== undefined && this.#sql.lostPlace.get() !== undefined;
  }

  legacyConversations(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  migrateLegacy(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  counts(): Awaitable<Counts> {
    return this.#query(
      () => countStore(this.#sql, this.location),
      (whole) => whole.counts(),
    );
  }

  async stats(): Promise<EngineStats> {
    const { measure } = await import("./care/stats.ts");
    try {
      return this.#transactions.read(() => measure(this.#database, this.#sql, this.location));
    } catch (error) {
      return this.#fromWhole(error, (whole) => whole.stats());
    }
  }

  close(): Awaitable<void> {
    if (this.#eraser === undefined) this.#close();
    else return this.#eraser.then((eraser) => eraser.settled()).then(() => this.#close());
  }

  #close(): void {
    this.#eraser = undefined;
    this.#fallback?.close();
    this.#connection.close();
  }

  #isErasurePending(): boolean {
    try {
      return this.#transactions.query(() => this.#sql.lastErasure.get()?.[0] !== null);
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** Each problem is reported once. */
  readonly #damaged = (problem: string): void => {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.onProblem(unavailable(`${this.location}: ${problem}`));
  };

  readonly #hidden = (problem: string): void => {
    if (this.#fallback !== undefined) {
      const message = `it is damaged. Back it up, then repair it: colloquy sessions validate --repair (${problem})`;
      throw unavailable(`${this.location}: ${message}`, { cause: new DamageError(problem) });
    }
    this.#damaged(problem);
  };

  #read<T>(
    work: (tables: Tables) => T,
    otherwise: (whole: SqliteEngine) => Awaitable<T>,
    isExact = false,
  ): Awaitable<T> {
    try {
      return this.#transactions.read(() => {
        this.#tables.refresh();
        return work(this.#tables);
      });
    } catch (error) {
      return this.#fromWhole(error, otherwise, isExact);
    }
  }

  #query<T>(work: () => T, otherwise: (whole: SqliteEngine) => Awaitable<T>): Awaitable<T> {
    try {
      return this.#transactions.query(work);
    } catch (error) {
      return this.#fromWhole(error, otherwise, false);
    }
  }

  async #fromWhole<T>(
    error: unknown,
    work: (whole: SqliteEngine, lost: readonly Finding[]) => Awaitable<T>,
    isExact = true,
  ): Promise<T> {
    if (this.#fallback === undefined) throw error;
    return this.#fallback.use(error, work, isExact);
  }
}

/** Other processes get the file between two parts of a purge, which follow each other within microseconds. */
const PURGE_PAUSE_MS = 10;

/** Our own refusals come before the first write of an operation; any other error ends the transaction. */
function attempt(tables: Tables, operation: Operation): Outcome {
  try {
    return { ok: true, ...tables.apply(operation) };
  } catch (error) {
    if (error instanceof ColloquyError) return { ok: false, error };
    throw error;
  }
}
