import type { DatabaseSync } from "node:sqlite";
import { ColloquyError, unavailable } from "../../errors.ts";
import { openDatabase } from "../../sqlite/open.ts";
import { realPath } from "../../sqlite/place.ts";
import type { LogEnd } from "../../tree/place-entries.ts";
import { isoTime } from "../../util/time.ts";
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
import type { Eraser } from "./erase/eraser.ts";
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
  #eraser: Promise<Eraser> | undefined;

  static async open(path: string, options: EngineOptions): Promise<SqliteEngine> {
    const database = await openDatabase(path, {
      readonly: options.readonly,
      synchronous: options.durability === "full" ? "FULL" : "NORMAL",
      applicationId: APPLICATION_ID,
      migrations,
      lockWaitMs: options.lockWaitMs,
    });
    const engine = new SqliteEngine(realPath(path), database, options);
    // A killed process may have left it to the next opener. Nothing waits for it, except closing.
    if (!options.readonly && engine.#isErasurePending()) engine.erase().catch(() => {});
    return engine;
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
    return this.#transactions.write(
      () => {
        tables.refresh();
        return operations.map((operation) => attempt(tables, operation));
      },
      () => tables.forget(),
    );
  }

  async erase(): Promise<readonly string[]> {
    this.#eraser ??= import("./erase/eraser.ts").then(
      ({ Eraser }) => new Eraser(this.#database, this.#sql, this.#transactions, this.location, this.#purge),
    );
    return (await this.#eraser).erase();
  }

  readonly #purge = async (conversation: string): Promise<void> => {
    const at = isoTime(Date.now());
    let outcome: Outcome | undefined;
    do [outcome] = await this.commit([{ type: "purge", conversation, force: true, at }]);
    while (outcome?.ok && outcome.removed?.more === true);
  };

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

  purged(from: string, limit: number): string[] {
    return this.#transactions.query(() =>
      this.#sql.purgeMarks.all<[string]>(from, limit).map(([mark]) => mark),
    );
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

  close(): Awaitable<void> {
    if (this.#eraser === undefined) this.#close();
    else return this.#eraser.then((eraser) => eraser.settled()).then(() => this.#close());
  }

  #close(): void {
    this.#tables.close();
    this.#database.close();
  }

  #isErasurePending(): boolean {
    return this.#transactions.query(() => this.#sql.lastErasure.get()?.[0] !== null);
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
