/**
 * Erases removed data from the file.
 *
 * SQLite overwrites deleted rows (`secure_delete`), but not the copies that
 * stay in the gaps of a page after its rows were moved to another one. A small
 * file is rewritten; in a large one the gaps are overwritten, a slice at a time,
 * by a separate process. The write-ahead log holds the data until it is emptied.
 */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { retryBusy } from "../../../sqlite/busy.ts";
import { emptyLog } from "../../../sqlite/empty-log.ts";
import { migrationCopies } from "../../../sqlite/migrate.ts";
import { isExclusive, pragma } from "../../../sqlite/pragma.ts";
import { scrubInProcess } from "../../../sqlite/scrub-slices.ts";
import { waitUntil } from "../../../util/wait.ts";
import type { Awaitable } from "../../engine.ts";
import type { Statements } from "../statements.ts";
import type { Transactions } from "../transactions.ts";

/** Rewriting a smaller file takes less time than starting a process, and no writer notices it. */
const REWRITE_BYTES_MAX = 2 * 1024 * 1024;
/** A file that is open to one connection only can be reached by no other process. */
const REWRITE_ALONE_BYTES_MAX = 256 * 1024 * 1024;
/** Readers in other processes are rarely busy for longer. */
const CHECKPOINT_WAIT_MS = 1000;
const REWRITE_WAIT_MS = 10_000;

/** Others get the file between two steps. */
const PAUSE_MS = 10;

export interface EraseSteps {
  /** Finish the purge of a conversation that a killed process began. */
  purge(id: string): Promise<void>;
  /** Delete a part of the blobs that were removed. Returns whether there may be more. */
  dropReleased(): Awaitable<boolean>;
}

export class Eraser {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #transactions: Transactions;
  readonly #path: string;
  readonly #steps: EraseSteps;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly string[]> | undefined;

  constructor(
    database: DatabaseSync,
    sql: Statements,
    transactions: Transactions,
    path: string,
    steps: EraseSteps,
  ) {
    this.#steps = steps;
    this.#database = database;
    this.#sql = sql;
    this.#transactions = transactions;
    this.#path = path;
  }

  /** The files that may still hold removed data. A run that has begun does not cover what was removed since. */
  erase(): Promise<readonly string[]> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const run = this.#run();
      this.#running = run;
      return run;
    });
    return this.#next;
  }

  /** Resolves when nothing is being erased. */
  async settled(): Promise<void> {
    while (this.#next !== undefined) await this.#next;
    await this.#running;
  }

  /** Never fails: the data is gone for every reader, and what is left is tried again by the next call or opener. */
  async #run(): Promise<readonly string[]> {
    const left = await this.#erase().catch(() => [this.#path, `${this.#path}-wal`]);
    try {
      return [...left, ...migrationCopies(this.#path)];
    } catch {
      // The folder is gone.
      return left;
    }
  }

  async #erase(): Promise<string[]> {
    const last = this.#transactions.query(() => this.#sql.lastErasure.get()?.[0] ?? null);
    if (last === null) return [];
    for (const [id] of this.#transactions.query(() => this.#sql.halfPurged.all<[string]>()))
      await this.#steps.purge(id);
    while (await this.#steps.dropReleased()) await sleep(PAUSE_MS);
    const bytes = pragma(this.#database, "page_count") * pragma(this.#database, "page_size");
    const isAlone = isExclusive(this.#database);
    if (isAlone && bytes > REWRITE_ALONE_BYTES_MAX) return [this.#path];
    if (isAlone || bytes <= REWRITE_BYTES_MAX) await this.#rewrite();
    else await scrubInProcess(this.#path);
    if (!(await waitUntil(() => emptyLog(this.#database), CHECKPOINT_WAIT_MS))) return [`${this.#path}-wal`];
    await this.#transactions.write(
      () => this.#sql.deleteErasures.run(last),
      () => {},
    );
    return [];
  }

  #rewrite(): Promise<void> {
    return retryBusy(this.#path, REWRITE_WAIT_MS, () => this.#database.exec("VACUUM"));
  }
}
