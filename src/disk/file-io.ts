/**
 * File access as the durable files need it: few calls, each with one meaning.
 *
 * It is an argument everywhere, so that a test can put a simulated disk under
 * the same code: one that crashes, tears a write, fills up, fails or lies on
 * sync, or forgets a rename.
 */
import * as fs from "node:fs";
import { uptime } from "node:os";
import { dirname, resolve } from "node:path";
import { type FileLock, SqliteFileLock } from "./file-lock.ts";
import { Liveness } from "./liveness.ts";

export type { FileLock } from "./file-lock.ts";

export interface FileStat {
  readonly size: number;
  /** Changes when the name comes to mean another file. */
  readonly inode: bigint;
  readonly modifiedNs: bigint;
  readonly isFolder: boolean;
}

/** Which of those that have the same folder open are alive. */
export interface Presence {
  readonly id: string;
  /** To be called before anybody is told the id. */
  announce(): void;
  isAlive(id: string): boolean;
  close(): void;
}

export interface FileIo {
  /** `create` fails when the name exists; new files belong to their owner alone (0600). */
  open(path: string, mode: "read" | "write" | "create"): number;
  close(file: number): void;
  read(file: number, into: Uint8Array, position: number): number;
  /** One write call. The count may be short: a full disk does that without an error. */
  write(file: number, bytes: Uint8Array, position: number): number;
  truncate(file: number, size: number): void;
  /** Returns when the file's content would survive a power cut. */
  sync(file: number): void;
  /** The same without stopping the thread, so that several files are synced at once. */
  syncLater(file: number): Promise<void>;
  /** Make creations, renames and removals in a folder survive a power cut. */
  syncFolder(folder: string): void;
  /** `undefined` when there is nothing of that name. */
  stat(path: string): FileStat | undefined;
  statOpen(file: number): FileStat;
  /** Say when a file was modified. */
  touch(path: string, ms: number): void;
  rename(from: string, to: string): void;
  link(existing: string, name: string): void;
  remove(path: string): void;
  /** With everything in it. */
  removeFolder(path: string): void;
  /** Creates missing parents too; folders belong to their owner alone (0700). */
  makeFolder(path: string): void;
  list(folder: string): string[];
  lock(path: string): FileLock;
  presence(folder: string): Presence;
  /** Another one after every start of the machine, so that a power cut can be told from a killed process. */
  bootId(): string;
}

const FLAGS = {
  // Without waiting: a pipe in the place of a file would never open.
  read: fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0),
  write: fs.constants.O_RDWR,
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL,
};

function toStat(stats: fs.BigIntStats): FileStat {
  return {
    size: Number(stats.size),
    // With its birth: the number of a file that is gone is given to the next one at once.
    inode: (stats.ino << 64n) | stats.birthtimeNs,
    modifiedNs: stats.mtimeNs,
    isFolder: stats.isDirectory(),
  };
}

/** The real disk. */
export const systemIo: FileIo = {
  open: (path, mode) => fs.openSync(path, FLAGS[mode], 0o600),
  close: (file) => fs.closeSync(file),
  read: (file, into, position) => fs.readSync(file, into, 0, into.length, position),
  write: (file, bytes, position) => fs.writeSync(file, bytes, 0, bytes.length, position),
  truncate: (file, size) => fs.ftruncateSync(file, size),
  sync: (file) => fs.fdatasyncSync(file),
  syncLater: (file) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(file, (error) => (error ? reject(error) : resolve()));
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
  rename: (from, to) => fs.renameSync(from, to),
  link: (existing, name) => fs.linkSync(existing, name),
  remove: (path) => fs.unlinkSync(path),
  removeFolder: (path) => fs.rmSync(path, { recursive: true, force: true }),
  makeFolder(path) {
    const first = fs.mkdirSync(path, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // Every folder that was made is a new name in its parent.
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
      // Not Linux. A clock that was set meanwhile reads as another start, which costs a look and no more.
      return String(Math.round((Date.now() / 1000 - uptime()) / 60));
    }
  },
};
