import { accessSync, constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FileIo, systemIo } from "../../../disk/file-io.ts";
import { replaceFile } from "../../../disk/replace-file.ts";
import { ColloquyError, unavailable } from "../../../errors.ts";
import { systemRandom } from "../../../util/uuid.ts";
import { LOCK_WAIT_MS, waitUntil } from "../../../util/wait.ts";
import { stateLayout } from "../../folder.ts";
import { ensurePrivate } from "../../permissions.ts";

const BACKUPS = 5;

/** Do something while nobody else changes the config of this state folder. */
export async function withConfigLock<T>(
  { stateDir, io = systemIo }: { readonly stateDir: string; readonly io?: FileIo },
  work: (io: FileIo) => Promise<T>,
): Promise<T> {
  const { root, lock: path } = stateLayout(stateDir);
  prepare(io, root);
  const lock = io.lock(path);
  try {
    if (!(await waitUntil(() => lock.tryAcquire(), LOCK_WAIT_MS))) {
      throw unavailable(
        `Nothing was changed: another process is changing the config (${lock.holder()}). Try again`,
      );
    }
    try {
      return await work(io);
    } finally {
      lock.release();
    }
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
 * Write texts, the one that holds the change last: until then nothing that
 * matters is different. Gives the backups that were made.
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
  removeLeftovers(io, file);
  const isNew = io.stat(file) === undefined;
  const waiting = `${file}.bak.0`;
  replaceFile(file, Buffer.from(text), { io, random: systemRandom, ...(isNew ? {} : { formerAs: waiting }) });
  if (isNew) return undefined;
  // Only now: a disk that is full must not cost a backup with every try.
  for (let number = BACKUPS - 1; number >= 0; number--) {
    const from = `${file}.bak.${number}`;
    if (io.stat(from) === undefined) continue;
    io.rename(from, `${file}.bak.${number + 1}`);
    // It has the mode of the file it was, which others could perhaps read.
    if (io === systemIo) ensurePrivate(`${file}.bak.${number + 1}`);
  }
  return `${file}.bak.1`;
}

/** What a killed writer left. Under the lock nobody is using it. */
function removeLeftovers(io: FileIo, file: string): void {
  const folder = dirname(file);
  const end = `-${basename(file)}.tmp`;
  for (const name of io.list(folder)) {
    if (name.startsWith(".colloquy-") && name.endsWith(end)) io.remove(join(folder, name));
  }
}

function refused(path: string, error: unknown): ColloquyError {
  if (error instanceof ColloquyError) {
    return new ColloquyError(error.code, `${error.message}. Nothing was changed`, { cause: error });
  }
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === "ENOSPC" || code === "EDQUOT"
      ? "the disk is full. Make room and try again"
      : code === "EROFS" || code === "EACCES" || code === "EPERM"
        ? "you may not write there. Check who owns the folder, and whether it is read-only"
        : message;
  return unavailable(`Nothing was changed: cannot write ${path}: ${why}`, { cause: error });
}
