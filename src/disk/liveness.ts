import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { unavailable } from "../errors.ts";
import { isUuid, nextUuid } from "../util/uuid.ts";
import { SqliteFileLock } from "./file-lock.ts";

/**
 * Tells the processes of one machine which of them still live.
 *
 * Each holds the lock of a file of its own, and the kernel gives that lock
 * back when it dies, however it dies. Numbers of processes would not do: they
 * are used again, and mean something else in another container.
 */
export class Liveness {
  readonly #folder: string;
  #id: string | undefined;
  #lock: SqliteFileLock | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of what was opened here; two in one process have two. */
  get id(): string {
    this.#id ??= nextUuid(Date.now());
    return this.#id;
  }

  /** To be called before anybody is told the id: from then on it is alive. */
  announce(): void {
    if (this.#lock !== undefined) return;
    this.#makeFolder();
    const lock = new SqliteFileLock(join(this.#folder, this.id));
    if (!lock.tryAcquire()) {
      lock.close();
      throw unavailable(`Cannot lock ${join(this.#folder, this.id)}, which is new`);
    }
    this.#lock = lock;
  }

  #makeFolder(): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw unavailable(`Cannot create ${this.#folder}: ${(error as Error).message}`, { cause: error });
    }
  }

  /**
   * Whether what has this id is open still. A process that was stopped lives.
   * The file of a dead one is removed, so call it under a lock of the store:
   * of two that ask at once, one would be taken for the owner by the other.
   */
  isAlive(id: string): boolean {
    // The own file is never opened again: closing it would give the lock back.
    if (id === this.#id) return true;
    if (!isUuid(id)) return false;
    const path = join(this.#folder, id);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
    const lock = new SqliteFileLock(path);
    try {
      if (!lock.tryAcquire()) return true;
    } finally {
      lock.close();
    }
    rmSync(path, { force: true });
    return false;
  }

  close(): void {
    if (this.#lock === undefined) return;
    this.#lock.close();
    this.#lock = undefined;
    rmSync(join(this.#folder, this.id), { force: true });
  }
}
