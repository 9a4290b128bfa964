import { type BigIntStats, statSync } from "node:fs";

/**
 * The files that a connection has open, to tell whether their names still lead to them.
 *
 * SQLite writes on into a file that was removed or replaced, and reports success.
 * A number cannot have been reused: the file that has it is open.
 */
export class OpenFiles {
  readonly #path: string;
  readonly #database: BigIntStats | undefined;
  readonly #log: BigIntStats | undefined;
  readonly #memory: BigIntStats | undefined;

  /** Call it after the first read: only then is the log open. */
  constructor(path: string) {
    this.#path = path;
    this.#database = statOf(path);
    this.#log = statOf(`${path}-wal`);
    this.#memory = statOf(`${path}-shm`);
  }

  /** The name that leads to no file, or to another one than at first. Takes 4 µs. */
  changed(): string | undefined {
    if (!isSameFile(statOf(this.#path), this.#database)) return this.#path;
    return isSameFile(statOf(`${this.#path}-wal`), this.#log) ? undefined : `${this.#path}-wal`;
  }

  /**
   * Whether only the name of the log is gone. Then every process that has the
   * database open still shares this log, and can write it back.
   */
  lostOnlyLog(): boolean {
    return (
      statOf(`${this.#path}-wal`) === undefined &&
      isSameFile(statOf(this.#path), this.#database) &&
      isSameFile(statOf(`${this.#path}-shm`), this.#memory)
    );
  }
}

export function isSameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a?.ino === b?.ino && a?.dev === b?.dev;
}

export function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
