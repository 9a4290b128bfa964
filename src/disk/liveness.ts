import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { unavailable } from "../errors.ts";
import { isUuid, systemRandom, uuidv7 } from "../util/uuid.ts";
import { SqliteFileLock } from "./file-lock.ts";

/**
 * Tells the processes of one machine which of them are alive.
 *
 * Each holds the lock of its own file, which the kernel releases when the
 * process dies. Process ids would not do: they are reused, and differ between
 * containers.
 */
export class Liveness {
  readonly #folder: string;
  #id: string | undefined;
  #lock: SqliteFileLock | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Identifies this opener; two in one process have two ids. */
  get id(): string {
    this.#id ??= uuidv7(Date.now(), systemRandom);
    return this.#id;
  }

  /**
   * Milliseconds since about the start of the machine. The system counts them for
   * all processes, containers included, whatever the time of day is set to.
   * Linux stops counting while the machine is suspended, and so do its timers.
   */
  nowMs(): number {
    return Number(process.hrtime.bigint() / 1_000_000n);
  }

  /** Call it before you publish the id. From then on the id is alive. */
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
   * Whether the opener with this id is alive; a suspended process is. The file
   * of a dead one is removed. Call it under the lock of the store: of two
   * concurrent callers, each could take the other for the owner.
   */
  isAlive(id: string): boolean {
    // Never open the own file again: closing it would release the lock.
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
