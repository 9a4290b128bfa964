import { type BigIntStats, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A folder that changed this recently may have changed again at the same recorded time:
 * a kernel dates changes by its tick, and some file systems store whole seconds, FAT two of them.
 */
const TICK_NS = 20_000_000n;
const COARSE_TICK_NS = 2_500_000_000n;

/**
 * The files that a connection has open, to tell whether their names still lead to them.
 *
 * SQLite writes on into a file that was removed or replaced, and reports success.
 * A number cannot have been reused: the file that has it is open.
 */
export class OpenFiles {
  readonly #path: string;
  readonly #folder: string;
  readonly #database: BigIntStats | undefined;
  readonly #log: BigIntStats | undefined;
  readonly #memory: BigIntStats | undefined;
  readonly #nowMs: () => number;
  /** The folder when the names in it were last compared, unless it had just changed. */
  #compared: BigIntStats | undefined;

  /** Call it after the first read: only then is the log open. */
  constructor(path: string, nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
    this.#path = path;
    this.#folder = dirname(path);
    this.#database = statOf(path);
    this.#log = statOf(`${path}-wal`);
    this.#memory = statOf(`${path}-shm`);
  }

  /**
   * The name that leads to no file, or to another one than at first.
   *
   * Removing or replacing a name changes the time of its folder, so the folder
   * alone is read as long as it is the same. To read the log itself after every
   * commit makes the next commit half as slow again: since Linux 6.13, a file whose
   * time was read gets a new one with the next write, and that is synced too.
   */
  changed(): string | undefined {
    const folder = statOf(this.#folder);
    if (folder !== undefined && isUnchanged(folder, this.#compared)) return undefined;
    if (!isSameFile(statOf(this.#path), this.#database)) return this.#path;
    if (!isSameFile(statOf(`${this.#path}-wal`), this.#log)) return `${this.#path}-wal`;
    this.#compared = isSettled(folder, this.#nowMs()) ? folder : undefined;
    return undefined;
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

function isUnchanged(folder: BigIntStats, compared: BigIntStats | undefined): boolean {
  return isSameFile(folder, compared) && folder.ctimeNs === compared?.ctimeNs;
}

function isSettled(folder: BigIntStats | undefined, nowMs: number): boolean {
  if (folder === undefined) return false;
  const isCoarse = folder.ctimeNs % 1_000_000n === 0n;
  return BigInt(nowMs) * 1_000_000n - folder.ctimeNs > (isCoarse ? COARSE_TICK_NS : TICK_NS);
}

export function isSameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  return a?.ino === b?.ino && a?.dev === b?.dev;
}

export function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}
