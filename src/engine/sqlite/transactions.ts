import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../disk/sqlite-code.ts";
import { type ColloquyError, unavailable } from "../../errors.ts";
import { retryBusy, sqliteError } from "../../sqlite/busy.ts";
import { OpenFiles } from "../../sqlite/open-files.ts";
import { FairTurns } from "../../util/fair-turns.ts";
import type { Awaitable } from "../engine.ts";
import type { Statements } from "./statements.ts";

/** SQLite's extended codes for a failed sync of a file or of its folder. */
const SYNC_FAILURES: ReadonlySet<unknown> = new Set([10 | (4 << 8), 10 | (5 << 8)]);

/** The transactions of one connection. Errors of SQLite leave it as `ColloquyError`. */
export class Transactions {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #path: string;
  readonly #lockWaitMs: number;
  readonly #files: OpenFiles;
  readonly #turns = new FairTurns();
  #failure: ColloquyError | undefined;

  constructor(database: DatabaseSync, sql: Statements, path: string, lockWaitMs: number) {
    this.#database = database;
    this.#sql = sql;
    this.#path = path;
    this.#lockWaitMs = lockWaitMs;
    this.#files = new OpenFiles(path);
  }

  /** A single statement needs no transaction. */
  query<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.#path);
    }
  }

  /** Everything that `work` reads is as of one moment. */
  read<T>(work: () => T): T {
    return this.query(() => {
      this.#sql.beginRead.run();
      try {
        return work();
      } finally {
        if (this.#database.isTransaction) this.#sql.commit.run();
      }
    });
  }

  /**
   * Commit what `work` writes, all of it or nothing. Returns at once when the
   * file is free, and waits while another connection writes. `undo` is called
   * after a rollback, for state that `work` keeps in memory.
   */
  write<T>(work: () => T, undo: () => void): Awaitable<T> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#turns.isOver) return this.#turns.pause().then(() => this.write(work, undo));
    try {
      return this.#transact(work, undo);
    } catch (error) {
      if (isBusy(error)) return this.#writeWhenFree(work, undo);
      throw this.#failed(error);
    }
  }

  async #writeWhenFree<T>(work: () => T, undo: () => void): Promise<T> {
    this.#turns.contended();
    try {
      // The whole transaction in one attempt: between an awaited BEGIN and its work, a read could come in and find
      // the connection inside a transaction.
      return await retryBusy(this.#path, this.#lockWaitMs, () => this.#transact(work, undo));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #transact<T>(work: () => T, undo: () => void): T {
    this.#sql.begin.run();
    let result: T;
    try {
      result = work();
      this.#sql.commit.run();
    } catch (error) {
      undo();
      if (this.#database.isTransaction) this.#sql.rollback.run();
      throw error;
    } finally {
      this.#turns.released();
    }
    // After the commit: a file that was removed just before it would not be noticed otherwise.
    const changed = this.#files.changed();
    if (changed !== undefined) throw this.#lost(changed);
    return result;
  }

  /** What was written to a file without a name is lost when this process ends. */
  #lost(name: string): ColloquyError {
    // Words that were acknowledged earlier may be in the log alone.
    if (this.#files.lostOnlyLog()) this.#database.exec("PRAGMA wal_checkpoint(FULL)");
    this.#failure = unavailable(
      `${name} was removed or replaced while the store was open. The store accepts no more writes: open it again, and repeat what was not acknowledged`,
    );
    return this.#failure;
  }

  /**
   * After a failed sync nothing says what is on the disk; only opening the file
   * again reads it back. Any other failed write was rolled back whole, and can
   * be retried.
   */
  #failed(error: unknown): ColloquyError {
    const cause = sqliteError(error, this.#path);
    if (SYNC_FAILURES.has((error as { errcode?: unknown }).errcode)) {
      this.#failure = unavailable(
        `${cause.message}. The store accepts no more writes; check the disk and open it again`,
        { cause },
      );
    }
    return cause;
  }
}
