import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { type FileIo, systemIo } from "../../../disk/file-io.ts";
import { removeLeftovers, replaceFile } from "../../../disk/replace-file.ts";
import { withLock } from "../../../disk/with-lock.ts";
import { ColloquyError, unavailable } from "../../../errors.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { stateLayout } from "../../folder.ts";
import { ensurePrivate } from "../../permissions.ts";

const BACKUPS = 5;

/** Run `work` while no other process changes the config of this state folder. */
export async function withConfigLock<T>(
  { stateDir, io = systemIo }: { readonly stateDir: string; readonly io?: FileIo },
  work: (io: FileIo) => Promise<T>,
): Promise<T> {
  const { root, config, lock: path } = stateLayout(stateDir);
  prepare(io, root);
  const lock = io.lock(path);
  try {
    return await withLock(lock, config, () => work(io));
  } finally {
    lock.close();
  }
}

function prepare(io: FileIo, root: string): void {
  try {
    if (io.stat(root) === undefined) io.makeFolder(root);
    else if (io === systemIo) accessSync(root, constants.W_OK);
  } catch (error) {
    throw refused(root, error);
  }
}

/**
 * Write texts by file, `last` last: until it is written, the config means what
 * it did before. Returns the backup of each file that existed.
 */
export function writeFiles(
  io: FileIo,
  texts: ReadonlyMap<string, string>,
  last: string,
): Map<string, string> {
  const backups = new Map<string, string>();
  const files = [...texts.keys()].toSorted((a, b) => Number(a === last) - Number(b === last));
  for (const file of files) {
    try {
      const backup = write(io, file, texts.get(file) as string);
      if (backup !== undefined) backups.set(file, backup);
    } catch (error) {
      throw refused(file, error);
    }
  }
  return backups;
}

function write(io: FileIo, file: string, text: string): string | undefined {
  const folder = dirname(file);
  if (io.stat(folder) === undefined) io.makeFolder(folder);
  removeLeftovers(io, folder, file);
  const isNew = io.stat(file) === undefined;
  const waiting = `${file}.bak.0`;
  replaceFile(file, Buffer.from(text), { io, random: systemRandom, ...(isNew ? {} : { formerAs: waiting }) });
  if (isNew) return undefined;
  // Only now: an attempt that fails on a full disk must not push out a backup.
  for (let number = BACKUPS - 1; number >= 0; number--) {
    const from = `${file}.bak.${number}`;
    if (io.stat(from) === undefined) continue;
    io.rename(from, `${file}.bak.${number + 1}`);
    // It keeps the mode of the former file, which others may have been able to read.
    if (io === systemIo) ensurePrivate(`${file}.bak.${number + 1}`);
  }
  return `${file}.bak.1`;
}

function refused(path: string, error: unknown): ColloquyError {
  if (error instanceof ColloquyError) {
    return new ColloquyError(error.code, `${error.message}. Nothing was changed`, { cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === "ENOSPC" || code === "EDQUOT"
      ? "the disk is full. Free some space and try again"
      : code === "EROFS" || code === "EACCES" || code === "EPERM"
        ? "permission denied. Check who owns the folder, and whether it is read-only"
        : message;
  return unavailable(`Nothing was changed: cannot write ${path}: ${why}`, { cause: error });
}
