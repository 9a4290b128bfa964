import type { DatabaseSync } from "node:sqlite";
import { ColloquyError, unavailable } from "../../errors.ts";
import { openDatabase } from "../../sqlite/open.ts";
import { realPath } from "../../sqlite/place.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import type { Awaitable, Engine, EngineOptions, EngineSupports } from "../engine.ts";
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
import { unsupported } from "../rules.ts";
import { Infos } from "./log/infos.ts";
import { APPLICATION_ID, migrations } from "./migrations/migrations.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { defineRowSum } from "./sums.ts";
import { Tables } from "./tables.ts";
import { Transactions } from "./transactions.ts";

/**
 * All conversations in one SQLite file, for any number of processes on one machine.
 *
 * Work that few programs ever do, such as a repair, is imported on first use.
 */
export class SqliteEngine implements Engine {
  readonly name = "sqlite";
  readonly supports: EngineSupports = { backup: true, repair: true, legacy: false };
  readonly location: string;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #options: EngineOptions;
  readonly #transactions: Transactions;
  readonly #infos: Infos;
  readonly #reported = new Set<string>();
  readonly #tables: Tables;

  static async open(path: string, options: EngineOptions): Promise<SqliteEngine> {
    const database = await openDatabase(path, {
      readonly: options.readonly,
      synchronous: options.durability === "full" ? "FULL" : "NORMAL",
      applicationId: APPLICATION_ID,
      migrations,
      lockWaitMs: options.lockWaitMs,
    });
    return new SqliteEngine(realPath(path), database, options);
  }

  private constructor(location: string, database: DatabaseSync, options: EngineOptions) {
    this.location = location;
    this.#database = database;
    this.#options = options;
    defineRowSum(database);
    this.#sql = prepareStatements(database);
    this.#transactions = new Transactions(database, this.#sql, location, options.lockWaitMs);
    this.#infos = new Infos(this.#sql, this.#damaged);
    this.#tables = new Tables({
      database,
      sql: this.#sql,
      infos: this.#infos,
      location,
      damaged: this.#damaged,
    });
  }

  commit(operations: readonly Operation[]): Awaitable<Outcome[]> {
    const tables = this.#tables;
    const outcomes = this.#transactions.write(
      () => {
        tables.refresh();
        return operations.map((operation) => attempt(tables, operation));
      },
      () => tables.forget(),
    );
    // Not awaited when it is there: most commits do not wait, and the store answers them sooner.
    if (!Array.isArray(outcomes)) return outcomes.then((late) => this.#eraseTraces(operations, late));
    return this.#eraseTraces(operations, outcomes);
  }

  #eraseTraces(operations: readonly Operation[], outcomes: Outcome[]): Awaitable<Outcome[]> {
    if (!operations.some((operation, index) => leavesTraces(operation, outcomes[index]))) return outcomes;
    return import("./erase/erase.ts").then(({ eraseTraces }) =>
      eraseTraces(this.#database, this.location, this.#options.lockWaitMs, outcomes),
    );
  }

  byId(id: string): ConversationInfo | undefined {
    return this.#transactions.query(() => this.#infos.byId(id));
  }

  byKey(key: string): ConversationInfo | undefined {
    return this.#transactions.query(() => this.#infos.byKey(key));
  }

  list(query: ListQuery): ConversationInfo[] {
    return this.#transactions.query(() => this.#infos.list(query));
  }

  locate(conversation: string, entryId: string): number | undefined {
    const row = this.#transactions.query(() => this.#sql.seqOf.get(conversation, entryId));
    return row?.[0] as number | undefined;
  }

  page(query: PageQuery): EntryPage {
    return this.#read((tables) => tables.page(query));
  }

  logEnd(conversation: string): LogEnd | undefined {
    return this.#read((tables) => tables.logEnd(conversation));
  }

  turn(conversation: string, from: number): OpenTurn | undefined {
    return this.#read((tables) => tables.turn(conversation, from));
  }

  blob(hash: string, offset: number, length: number): BlobPart | undefined {
    return this.#read((tables) => tables.blob(hash, offset, length));
  }

  changes(after: FeedPlace | null, limit: number): { changes: Change[]; place: FeedPlace } {
    return this.#read((tables) => tables.changes(after, limit));
  }

  async backup(path: string): Promise<void> {
    const { backupDatabase } = await import("./care/backup.ts");
    return backupDatabase(this.#database, this.location, path, this.#options);
  }

  async verify(): Promise<VerifyReport> {
    const { verifyDatabase } = await import("./care/verify.ts");
    return this.#transactions.read(() => verifyDatabase(this.#database, this.#sql, this.location));
  }

  async repair(): Promise<Finding[]> {
    const { repairDatabase } = await import("./care/repair.ts");
    return this.#transactions.write(
      () => {
        this.#tables.forget();
        return repairDatabase(this.#database, this.#sql, this.location);
      },
      () => {},
    );
  }

  legacyConversations(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  migrateLegacy(): never {
    throw unsupported(this.name, "files of legacy formats");
  }

  async stats(): Promise<EngineStats> {
    const { measure } = await import("./care/stats.ts");
    return this.#transactions.read(() => measure(this.#database, this.#sql, this.location));
  }

  close(): void {
    this.#tables.close();
    this.#database.close();
  }

  /** Each problem is reported once. */
  readonly #damaged = (problem: string): void => {
    if (this.#reported.has(problem)) return;
    this.#reported.add(problem);
    this.#options.onProblem(unavailable(`${this.location}: ${problem}`));
  };

  #read<T>(work: (tables: Tables) => T): T {
    return this.#transactions.read(() => {
      this.#tables.refresh();
      return work(this.#tables);
    });
  }
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

/** A collection that found nothing leaves nothing to erase; a purged conversation without entries still had a title. */
function leavesTraces({ type }: Operation, outcome: Outcome | undefined): boolean {
  if (!outcome?.ok || outcome.removed === undefined) return false;
  return type === "purge" || outcome.removed.entries + outcome.removed.blobs > 0;
}
