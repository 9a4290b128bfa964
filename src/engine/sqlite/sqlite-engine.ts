import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../disk/sqlite-code.ts";
import { ColloquyError, unavailable } from "../../errors.ts";
import { retryBusy, sqliteError } from "../../sqlite/busy.ts";
import { openDatabase } from "../../sqlite/open.ts";
import type { LogEnd } from "../../tree/place.ts";
import type { Awaitable, Engine, EngineOptions } from "../engine.ts";
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
import type { Access } from "./access.ts";
import { Infos } from "./log/infos.ts";
import { APPLICATION_ID, migrations } from "./migrations/migrations.ts";
import type { Row } from "./rows.ts";
import { prepareStatements, type Statements } from "./statements.ts";

/** SQLite's extended codes for a sync of a file, or of its folder, that failed. */
const SYNC_FAILURES: ReadonlySet<unknown> = new Set([10 | (4 << 8), 10 | (5 << 8)]);

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

const CHECK_FILE_EVERY_MS = 50;

/** Nothing is to be erased after a collection that found nothing; a conversation without entries has a title. */
function leavesTraces({ type }: Operation, outcome: Outcome | undefined): boolean {
  if (!outcome?.ok || outcome.removed === undefined) return false;
  return type === "purge" || outcome.removed.entries + outcome.removed.blobs > 0;
}

/**
 * All conversations in one SQLite file, for any number of processes on one machine.
 *
 * Opening and listing are all that many commands do, and cost the start of no
 * more than that; the rest is loaded with its first use.
 */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly location: string;
  readonly #inode: bigint | undefined;
  #checkFileAt = 0;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #options: EngineOptions;
  readonly #infos: Infos;
  readonly #reported = new Set<string>();
  #access: Access | undefined;
  #failure: ColloquyError | undefined;

  static async open(path: string, options: EngineOptions): Promise<SqliteEngine> {
    const database = await openDatabase(path, {
      readonly: options.readonly,
      synchronous: options.durability === "full" ? "FULL" : "NORMAL",
      applicationId: APPLICATION_ID,
      migrations,
      lockWaitMs: options.lockWaitMs,
    });
    return new SqliteEngine(resolve(path), database, options);
  }

  private constructor(location: string, database: DatabaseSync, options: EngineOptions) {
    this.location = location;
    this.#inode = inodeOf(location);
    this.#database = database;
    this.#options = options;
    this.#sql = prepareStatements(database);
    this.#infos = new Infos(this.#sql, this.#damaged);
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    return this.#with((access) => this.#commit(access, operations));
  }

  #commit(access: Access, operations: readonly Operation[]): Awaitable<Outcome[]> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#checkFile();
    try {
      this.#sql.begin.run();
    } catch (error) {
      if (isBusy(error)) return this.#commitWhenFree(access, operations);
      throw sqliteError(error, this.location);
    }
    return this.#run(access, operations);
  }

  /** Writing to a file that was removed or replaced succeeds, and is lost when it is closed. */
  #checkFile(): void {
    const now = performance.now();
    if (now < this.#checkFileAt) return;
    if (inodeOf(this.location) !== this.#inode) throw unavailable(`${this.location} was removed or replaced`);
    this.#checkFileAt = now + CHECK_FILE_EVERY_MS;
  }

  async #commitWhenFree(access: Access, operations: readonly Operation[]): Promise<Outcome[]> {
    await retryBusy(this.location, this.#options.lockWaitMs, () => this.#sql.begin.run());
    return this.#run(access, operations);
  }

  /** Inside the open transaction. */
  #run(access: Access, operations: readonly Operation[]): Awaitable<Outcome[]> {
    const outcomes: Outcome[] = [];
    try {
      access.refresh();
      for (const operation of operations) outcomes.push(attempt(access, operation));
      this.#sql.commit.run();
    } catch (error) {
      access.forget();
      if (this.#database.isTransaction) this.#sql.rollback.run();
      if (SYNC_FAILURES.has((error as { errcode?: unknown }).errcode)) {
        // After a failed sync nothing tells what is on the disk; only opening again reads it back.
        // A write that failed was taken back whole, and may be tried again.
        const cause = sqliteError(error, this.location);
        this.#failure = unavailable(
          `${cause.message}. The store takes no more writes; check the disk and open it again`,
          { cause },
        );
      }
      throw sqliteError(error, this.location);
    }
    if (!operations.some((operation, index) => leavesTraces(operation, outcomes[index]))) return outcomes;
    return this.#eraseTraces(outcomes);
  }

  async #eraseTraces(outcomes: Outcome[]): Promise<Outcome[]> {
    const { eraseTraces } = await import("./erase/erase.ts");
    return eraseTraces(this.#database, this.location, this.#options.lockWaitMs, outcomes);
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#read(() => this.#infos.byId(id));
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#read(() => this.#infos.byKey(key));
  }

  list(query: ListQuery): ConversationInfo[] {
    return this.#read(() => this.#infos.list(query));
  }

  page(query: PageQuery): Awaitable<EntryPage> {
    return this.#with((access) => access.page(query));
  }

  locate(conversation: string, entryId: string): number | undefined {
    const row = this.#read(() => this.#sql.seqOf.get(conversation, entryId) as Row | undefined);
    return row?.[0] as number | undefined;
  }

  logEnd(conversation: string): Awaitable<LogEnd | undefined> {
    return this.#with((access) => access.logEnd(conversation));
  }

  turn(conversation: string, from: number): Awaitable<OpenTurn | undefined> {
    return this.#with((access) => access.turn(conversation, from));
  }

  blob(hash: string, offset: number, length: number): Awaitable<BlobPart | undefined> {
    return this.#with((access) => access.blob(hash, offset, length));
  }

  changes(after: FeedPlace | null, limit: number): Awaitable<{ changes: Change[]; place: FeedPlace }> {
    return this.#with((access) => access.changes(after, limit));
  }

  async backup(path: string): Promise<void> {
    const { backupDatabase } = await import("./care/backup.ts");
    return backupDatabase(this.#database, this.location, path, this.#options);
  }

  async verify(): Promise<VerifyReport> {
    const { verifyDatabase } = await import("./care/verify.ts");
    return this.#snapshot(() => verifyDatabase(this.#database, this.#sql, this.location));
  }

  async repair(): Promise<Finding[]> {
    const { repairDatabase } = await import("./care/repair.ts");
    if (this.#failure !== undefined) throw this.#failure;
    await retryBusy(this.location, this.#options.lockWaitMs, () => this.#sql.begin.run());
    try {
      const repaired = repairDatabase(this.#database, this.#sql, this.location);
      this.#sql.commit.run();
      return repaired;
    } catch (error) {
      if (this.#database.isTransaction) this.#sql.rollback.run();
      throw sqliteError(error, this.location);
    } finally {
      this.#access?.forget();
    }
  }

  async stats(): Promise<EngineStats> {
    const { measure } = await import("./care/stats.ts");
    return this.#snapshot(() => measure(this.#database, this.#sql, this.location));
  }

  close(): void {
    this.#access?.close();
    this.#database.close();
  }

  /** Each once. */
  readonly #damaged = (problem: string): void => {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.onProblem(unavailable(`${this.location}: ${problem}`));
  };

  #with<T>(work: (access: Access) => Awaitable<T>): Awaitable<T> {
    if (this.#access !== undefined) return work(this.#access);
    return import("./access.ts").then(({ Access }) => {
      this.#access ??= new Access({
        database: this.#database,
        sql: this.#sql,
        infos: this.#infos,
        location: this.location,
        damaged: this.#damaged,
      });
      return work(this.#access);
    });
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.location);
    }
  }

  /** Everything that is asked here is as of one moment. */
  #snapshot<T>(work: () => T): T {
    return this.#read(() => {
      this.#sql.beginRead.run();
      try {
        return work();
      } finally {
        if (this.#database.isTransaction) this.#sql.commit.run();
      }
    });
  }
}

/** A refusal of ours comes before the operation's first write; anything else ends the transaction. */
function attempt(access: Access, operation: Operation): Outcome {
  try {
    return { ok: true, ...access.apply(operation) };
  } catch (error) {
    if (error instanceof ColloquyError) return { ok: false, error };
    throw error;
  }
}
