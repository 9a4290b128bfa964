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
import { isDamage } from "../../../sqlite/damage.ts";
import { emptyLog } from "../../../sqlite/empty-log.ts";
import { migrationCopies } from "../../../sqlite/migrate.ts";
import { isExclusive, pragma } from "../../../sqlite/pragma.ts";
import { scrubInProcess } from "../../../sqlite/scrub-slices.ts";
import { withPauses } from "../../../util/steps.ts";
import { PATIENT_PAUSE_MS, waitUntil } from "../../../util/wait.ts";
import type { Awaitable } from "../../engine.ts";
import type { Erased } from "../../operations.ts";
import { type Freed, receipt } from "../../removal-rules.ts";
import type { UnusedBlobs } from "../blobs/unused-blobs.ts";
import type { Statements } from "../statements.ts";
import type { Transactions } from "../transactions.ts";

/** Rewriting a smaller file takes less time than starting a process, and no writer notices it. */
const REWRITE_BYTES_MAX = 2 * 1024 * 1024;
/** A file that is open to one connection only can be reached by no other process. */
const REWRITE_ALONE_BYTES_MAX = 256 * 1024 * 1024;
/** Readers in other processes are rarely busy for longer. */
const CHECKPOINT_WAIT_MS = 1000;
const REWRITE_WAIT_MS = 10_000;

/** Which sweeps may have been interrupted: the last one of each process. */
const LAST_SWEEPS = 20;

/** Others get the file between two steps. */
const PAUSE_MS = 10;

export interface EraseSteps {
  /** The blobs that may be unused: also those of a killed process if `isLeft`. `undefined` if there are none. */
  takeUnused(isLeft: boolean): UnusedBlobs | undefined;

  /** Finish what a killed process began. */
  remove(type: "purge" | "sweep", id: string): Promise<void>;
  /** Delete a part of the blobs that were removed. Returns whether there may be more. */
  dropReleased(): Awaitable<boolean>;
  damaged(problem: string): void;
}

export class Eraser {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly #transactions: Transactions;
  readonly #path: string;
  readonly #steps: EraseSteps;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly string[]> | undefined;
  #isRestSwept = false;
  /** Blobs that were removed, and that no receipt has. */
  #freed: Freed[] = [];

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

  /** A run that has begun does not cover what was removed since. */
  async erase(): Promise<Erased> {
    const files = await this.#nextRun();
    const { blobs, bytes } = receipt(0, 0, this.#freed.splice(0));
    return { files, blobs, bytes };
  }

  #nextRun(): Promise<readonly string[]> {
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
    const left = await this.#erase().catch((error) => {
      if (isDamage(error)) this.#steps.damaged(`What was removed cannot be erased: ${error.message}`);
      return [this.#path, `${this.#path}-wal`];
    });
    try {
      return [...left, ...migrationCopies(this.#path)];
    } catch {
      // The folder is gone.
      return left;
    }
  }

  async #erase(): Promise<string[]> {
    const isLeft = this.#last() !== null;
    if (isLeft) await this.#removeRest();
    const kept = (await this.#dropUnused(isLeft)) ? [] : [this.#path];
    const last = this.#last();
    if (last === null) return kept;
    while (await this.#steps.dropReleased()) await sleep(PAUSE_MS);
    const bytes = pragma(this.#database, "page_count") * pragma(this.#database, "page_size");
    const isAlone = isExclusive(this.#database);
    if (isAlone && bytes > REWRITE_ALONE_BYTES_MAX) return [this.#path];
    if (isAlone || bytes <= REWRITE_BYTES_MAX) await this.#rewrite();
    else await scrubInProcess(this.#path);
    if (!(await waitUntil(() => emptyLog(this.#database), CHECKPOINT_WAIT_MS))) return [`${this.#path}-wal`];
    // What was kept is tried again.
    if (kept.length === 0) {
      await this.#transactions.write(
        () => this.#sql.deleteErasures.run(last),
        () => {},
      );
    }
    return kept;
  }

  async #removeRest(): Promise<void> {
    const { halfPurged, lastSwept } = this.#sql;
    for (const [id] of this.#transactions.query(() => halfPurged.all<[string]>()))
      await this.#steps.remove("purge", id);
    if (this.#isRestSwept) return;
    this.#isRestSwept = true;
    for (const [id] of this.#transactions.query(() => lastSwept.all<[string]>(LAST_SWEEPS)))
      await this.#steps.remove("sweep", id);
  }

  #last(): number | null {
    return this.#transactions.query(() => this.#sql.lastErasure.get<[number | null]>()?.[0] ?? null);
  }

  /** Returns whether every blob that may be unused is gone, or in use. */
  async #dropUnused(isLeft: boolean): Promise<boolean> {
    const unused = this.#steps.takeUnused(isLeft);
    if (unused === undefined) return true;
    await withPauses(unused.search());
    for (;;) {
      const freed = await this.#transactions.write(
        () => unused.drop(),
        () => {},
      );
      if (freed === undefined) break;
      this.#freed.push(freed);
      await sleep(PAUSE_MS);
    }
    if (unused.problem !== undefined) this.#steps.damaged(unused.problem);
    return unused.problem === undefined;
  }

  /** Unless another process has done so in the meantime. Every writer goes first. */
  #rewrite(): Promise<void> {
    const attempt = (): void => {
      if (this.#last() !== null) this.#database.exec("VACUUM");
    };
    return retryBusy(this.#path, REWRITE_WAIT_MS, attempt, PATIENT_PAUSE_MS);
  }
}
