import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ColloquyError, unavailable } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import { DamageError, isDamage } from "../../sqlite/damage.ts";
import { realPath } from "../../sqlite/place.ts";
import type { LogEnd, LogTip } from "../../tree/place-entries.ts";
import { isoTime } from "../../util/time.ts";
import type { Awaitable, Engine, EngineOptions, EngineSupports } from "../engine.ts";
import type { Erased, Operation, Outcome } from "../operations.ts";
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
import { unsupported } from "../rules.ts";
import { Connection, connect } from "./connection.ts";
import type { Eraser } from "./erase/eraser.ts";
import type { Infos } from "./log/infos.ts";
import type { SalvagedView } from "./salvage/view.ts";
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
  readonly #isView: boolean;
  readonly #reported = new Set<string>();
  #connection: Connection;
  #salvaged: Salvage | undefined;
  /** The last use of what was salvaged. */
  #salvageUse: Promise<unknown> = Promise.resolve();
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
      const view = options.readonly && isDamage(error) ? await viewOf(location) : undefined;
      if (view === undefined) throw error;
      const engine = new SqliteEngine(location, view.database, options, true);
      engine.#salvaged = { version: WHOLE, isExact: true, engine, lost: engine.#report(error, view) };
      return engine;
    }
  }

  /** `isView`: the database holds everything that could be salvaged. */
  private constructor(location: string, database: DatabaseSync, options: EngineOptions, isView = false) {
    this.location = location;
    this.#options = options;
    this.#isView = isView;
    this.#connection = this.#connected(database);
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

  openings(conversations: readonly string[]): Awaitable<StoredEntry[][]> {
    return this.#read(
      (tables) => tables.openings(conversations),
      (whole) => whole.openings(conversations),
    );
  }

  page(query: PageQuery): Awaitable<EntryPage> {
    return this.#read(
      (tables) => tables.page(query),
      (whole) => whole.page(query),
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
      return this.#salvaged?.version === WHOLE ? this.#salvaged.lost : [];
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
      const options = this.#isView ? { ...this.#options, readonly: true } : this.#options;
      const report = await verifyStore(this.#connection, this.location, options);
      if (this.#salvaged?.version !== WHOLE) return report;
      return { ...report, ok: false, findings: [...this.#salvaged.lost, ...report.findings] };
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
    const { findings } = await this.verify();
    if (findings.some(({ code }) => DAMAGE.has(code))) return true;
    return from !== undefined && this.#sql.lostPlace.get() !== undefined;
  }

  legacyConversations(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  migrateLegacy(): never {
    throw unsupported(this.name, "files of legacy formats");
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
    if (this.#salvaged !== undefined && this.#salvaged.engine !== this) this.#salvaged.engine.#close();
    this.#salvaged = undefined;
    this.#tables.close();
    this.#database.close();
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
    if (!this.#isView) {
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

  /**
   * Uses everything that can be read of a damaged file. One use at a time: the
   * next one may replace and close the view. Throws `error` if it is not one of
   * damage.
   */
  async #fromWhole<T>(
    error: unknown,
    use: (whole: SqliteEngine, lost: readonly Finding[]) => Awaitable<T>,
    isExact = true,
  ): Promise<T> {
    if (!isDamage(error) || this.#isView) throw error;
    const done = this.#salvageUse.then(async () => {
      const { engine, lost } = await this.#whole(error, isExact);
      return use(engine, lost);
    });
    this.#salvageUse = done.catch(() => {});
    return done;
  }

  /** As a store in memory, as of the last write. Unless it must be exact, it may be one that was brought up to date. */
  async #whole(error: unknown, isExact: boolean): Promise<Salvage> {
    const version = `${this.#sql.dataVersion.get()?.[0]} ${this.#sql.totalChanges.get()?.[0]}`;
    const last = this.#salvaged;
    if (last?.version === version && (last.isExact || !isExact)) return last;
    const { salvagedView, catchUp } = await import("./salvage/view.ts");
    if (last !== undefined && !isExact && catchUp(last.engine.#connection, this.#connection)) {
      this.#salvaged = { ...last, version, isExact };
      return this.#salvaged;
    }
    const view = salvagedView(this.location);
    if (view === undefined) throw error;
    if (this.#salvaged !== undefined) this.#salvaged.engine.#close();
    adoptFeed(view.database, this.#sql);
    const engine = new SqliteEngine(this.location, view.database, this.#options, true);
    this.#salvaged = { version, isExact: true, engine, lost: this.#report(error, view) };
    return this.#salvaged;
  }

  /** The damage, and each loss, once. Returns them with the error that led to them. */
  #report(error: unknown, { lost }: SalvagedView): readonly Finding[] {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    // Also when nothing is lost: the next damaged page may hold words.
    this.#damaged(`The file is damaged (${reason}). Its readable pages are used: repair it soon`);
    for (const { conversation, message } of lost) {
      this.#damaged(conversation === null ? message : `Conversation ${conversation}: ${message}`);
    }
    const where = { conversation: null, source: this.location, line: null };
    return [{ code: "damaged-file", ...where, message: reason }, ...lost];
  }
}

/** A view of a damaged file. */
interface Salvage {
  readonly version: string;
  /** Whether it has everything, not only what readers of conversations need. */
  readonly isExact: boolean;
  readonly engine: SqliteEngine;
  readonly lost: readonly Finding[];
}

/** Other processes get the file between two parts of a purge, which follow each other within microseconds. */
const PURGE_PAUSE_MS = 10;

/** The version of a view of a file that cannot be opened: nothing changes it. */
const WHOLE = "whole";

/** Findings that only rebuilding the file repairs. */
const DAMAGE: ReadonlySet<string> = new Set([
  ...[
    "damaged-file",
    "bad-entry",
    "damaged-metadata",
    "bad-operation",
    "bad-change",
    "bad-journal",
    "bad-blob",
  ],
  ...["missing-blob", "dangling-parent", "late-parent", "cycle", "lost-branch", "bad-context-state"],
  ...["orphan-entry", "orphan-journal", "orphan-lease", "orphan-chunk", "orphan-operation"],
]);

/** Positions in the feed of the file are positions in the feed of the view, unless the file does not say which one it is. */
function adoptFeed(view: DatabaseSync, { feedTag }: Statements): void {
  try {
    view.prepare("UPDATE feed SET tag = ?").run(feedTag.get()?.[0] as number);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

async function viewOf(path: string): Promise<SalvagedView | undefined> {
  const { salvagedView } = await import("./salvage/view.ts");
  return salvagedView(path);
}

/** Our own refusals come before the first write of an operation; any other error ends the transaction. */
function attempt(tables: Tables, operation: Operation): Outcome {
  try {
    return { ok: true, ...tables.apply(operation) };
  } catch (error) {
    if (error instanceof ColloquyError) return { ok: false, error };
    throw error;
  }
}
