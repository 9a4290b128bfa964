/**
 * The file access that durable files need: few calls, each with one meaning.
 *
 * It is always passed in, so that a test can run the same code on a simulated
 * disk that crashes, tears a write, fills up, fails or lies on sync, or loses
 * a rename.
 */
import * as fs from "node:fs";
import { constants, uptime } from "node:os";
import { dirname, resolve } from "node:path";
import { type FileLock, SqliteFileLock } from "./file-lock.ts";
import { Liveness } from "./liveness.ts";

export type { FileLock } from "./file-lock.ts";

export interface FileStat {
  readonly size: number;
  /** Changes when the name refers to another file. */
  readonly inode: bigint;
  readonly modifiedNs: bigint;
  readonly isFolder: boolean;
  /** How many names the file has. */
  readonly links: number;
}

/** Tells which of the openers of a folder are alive. */
export interface Presence {
  readonly id: string;
  /** Milliseconds of a clock that all openers share and that cannot be set. */
  nowMs(): number;
  /** Call it before you publish the id. */
  announce(): void;
  isAlive(id: string): boolean;
  close(): void;
}

export interface FileIo {
  /** `create` fails if the name exists. New files are private (0600). */
  open(path: string, mode: "read" | "write" | "create"): number;
  close(file: number): void;
  read(file: number, into: Uint8Array, position: number): number;
  /** One write call. The count may be short: that is how a full disk shows, without an error. */
  write(file: number, bytes: Uint8Array, position: number): number;
  truncate(file: number, size: number): void;
  /** Returns once the content of the file survives a power cut. */
  sync(file: number): void;
  /** `sync` without blocking the thread, so that several files sync at once. */
  syncLater(file: number): Promise<void>;
  /** Make creations, renames and removals in a folder survive a power cut. */
  syncFolder(folder: string): void;
  /** `undefined` if the name does not exist. */
  stat(path: string): FileStat | undefined;
  statOpen(file: number): FileStat;
  /** Set the modification time. */
  touch(path: string, ms: number): void;
  rename(from: string, to: string): void;
  link(existing: string, name: string): void;
  remove(path: string): void;
  /** Removes the folder with its content. */
  removeFolder(path: string): void;
  /** Creates missing parents too. New folders are private (0700). */
  makeFolder(path: string): void;
  list(folder: string): string[];
  lock(path: string): FileLock;
  presence(folder: string): Presence;
  /** Changes with every start of the machine, which distinguishes a power cut from a killed process. */
  bootId(): string;
}

const FLAGS = {
  // Non-blocking, because opening a named pipe would wait forever.
  read: fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0),
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

function toStat(stats: fs.BigIntStats): FileStat {
  return {
    size: Number(stats.size),
    // With the birth time, because file systems reuse inode numbers at once.
    inode: (stats.ino << 64n) | stats.birthtimeNs,
    modifiedNs: stats.mtimeNs,
    isFolder: stats.isDirectory(),
    links: Number(stats.nlink),
  };
}

function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw nameQuota(error);
  }
}

/** Node calls an exceeded quota "Unknown system error -122". It is the full disk of one user. */
export function nameQuota(error: unknown): unknown {
  if (!(error instanceof Error) || !("errno" in error) || error.errno !== -constants.errno.EDQUOT)
    return error;
  const { syscall, path } = error as NodeJS.ErrnoException;
  const where = path === undefined ? "" : ` '${path}'`;
  const message = `EDQUOT: disk quota exceeded, ${syscall ?? "write"}${where}`;
  return Object.assign(new Error(message, { cause: error }), { ...error, code: "EDQUOT" });
}

/** The real disk. */
export const systemIo: FileIo = {
  open: (path, mode) => named(() => fs.openSync(path, FLAGS[mode], 0o600)),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.length, position),
  write: (file, bytes, position) => {
    try {
      return fs.writeSync(file, bytes, 0, bytes.length, position);
    } catch (error) {
      throw nameQuota(error);
    }
  },
  truncate: (file, size) => fs.ftruncateSync(file, size),
  sync: (file) => named(() => fs.fdatasyncSync(file)),
  syncLater: (file) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(file, (error) => (error ? reject(nameQuota(error)) : resolve()));
    }),
  syncFolder(folder) {
    // Windows cannot open a folder, and its renames need no such sync.
    if (process.platform === "win32") return;
    const file = fs.openSync(folder, "r");
    try {
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
  },
  stat(path) {
    const stats = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? undefined : toStat(stats);
  },
  statOpen: (file) => toStat(fs.fstatSync(file, { bigint: true })),
  touch: (path, ms) => fs.utimesSync(path, ms / 1000, ms / 1000),
  rename: (from, to) => named(() => fs.renameSync(from, to)),
  link: (existing, name) => named(() => fs.linkSync(existing, name)),
  remove: (path) => fs.unlinkSync(path),
  removeFolder: (path) => fs.rmSync(path, { recursive: true, force: true }),
  makeFolder(path) {
    const first = named(() => fs.mkdirSync(path, { recursive: true, mode: 0o700 }));
    if (first === undefined) return;
    // Every new folder is a new name in its parent.
    for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) {
      this.syncFolder(dirname(made));
    }
  },
  list: (folder) => fs.readdirSync(folder),
  lock: (path) => new SqliteFileLock(path),
  presence: (folder) => new Liveness(folder),
  bootId() {
    try {
      return fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    } catch {
      // Not Linux. A changed clock looks like a restart, which costs one extra check.
      return String(Math.round((Date.now() / 1000 - uptime()) / 60));
    }
  },
};
