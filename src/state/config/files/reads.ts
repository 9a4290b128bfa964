/** File access as the config needs it: an argument, so that a test can let files vanish under it. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { openStoreOf } from "../../../disk/open-stores.ts";

/** Changes whenever the file does. Empty when there is none. */
export type Stamp = string;

interface FileRead {
  readonly bytes: Buffer;
  readonly stamp: Stamp;
}

export interface ConfigReads {
  stamp(path: string): Stamp;
  /** Whether the name is taken, also by a broken link. */
  exists(path: string): boolean;
  /** Fails for anything but a regular file, and for more than `bytesMax` bytes (`EFBIG`). */
  read(path: string, bytesMax: number): FileRead;
  realPath(path: string): string;
  /** Empty when there is no such folder. */
  list(folder: string): string[];
}

function stampOf(stat: Stats): Stamp {
  // `ctime` also changes with the permissions, which may have kept the file from being read.
  return `${stat.mtimeMs}:${stat.size}:${stat.ino}:${stat.ctimeMs}`;
}

function refuse(code: string, message: string): never {
  throw Object.assign(new Error(message), { code, syscall: "read" });
}

export const systemReads: ConfigReads = {
  stamp(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "" : stampOf(stat);
  },
  exists: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  read(path, bytesMax) {
    if (openStoreOf(path) !== undefined) refuse("EBUSY", "it belongs to an open store");
    // Non-blocking: opening a named pipe would otherwise wait forever.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) refuse("EISDIR", "it is not a regular file");
      if (stat.size > bytesMax) refuse("EFBIG", "it is too large");
      const bytes = readFileSync(file);
      return { bytes, stamp: stampOf(stat) };
    } finally {
      closeSync(file);
    }
  },
  realPath: (path) => realpathSync.native(path),
  list(folder) {
    try {
      return readdirSync(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },
};

/** The same files with some contents replaced, to try a change before it is made. */
export function withContent(reads: ConfigReads, contents: ReadonlyMap<string, string>): ConfigReads {
  const instead = (path: string): string | undefined =>
    contents.get(path) ?? contents.get(realPath(reads, path));
  const newIn = (folder: string): string[] =>
    [...contents.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
  return {
    stamp: (path) => (instead(path) === undefined && newIn(path).length === 0 ? reads.stamp(path) : "tried"),
    exists: (path) => instead(path) !== undefined || reads.exists(path),
    read(path, bytesMax) {
      const text = instead(path);
      if (text === undefined) return reads.read(path, bytesMax);
      return { bytes: Buffer.from(text), stamp: "tried" };
    },
    realPath: (path) => (instead(path) !== undefined && !reads.exists(path) ? path : reads.realPath(path)),
    list: (folder) => [...new Set([...reads.list(folder), ...newIn(folder)])],
  };
}

/** The real path, or the path itself when it does not exist or is a broken link. */
export function realPath(reads: ConfigReads, path: string): string {
  try {
    return reads.realPath(path);
  } catch {
    return path;
  }
}
