/**
 * One name for a file.
 *
 * SQLite finds the write-ahead log by the name of the database. Two processes
 * that reach one database by two names have two logs, and destroy each other's
 * words. Symbolic links are followed first; hard links are refused; of two
 * mounts of a file, the one that is recorded in the file is right.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hasLocks } from "../disk/lock-holder.ts";
import { isBusy } from "../disk/sqlite-code.ts";
import { type ColloquyError, unavailable } from "../errors.ts";
import { waitUntil } from "../util/wait.ts";
import { isSameFile, statOf } from "./open-files.ts";
import { immutableUrl, pragma } from "./pragma.ts";

/** Where a file was opened for writing the last time. */
interface Place {
  readonly path: string;
  /** Device and number of the folder, which are the same for each mount of it. */
  readonly folder: string;
}

/** The name that SQLite uses, without symbolic links. */
export function realPath(file: string): string {
  const path = resolve(file);
  try {
    return realpathSync(path);
  } catch {
    // A new file, or even a new folder.
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

/** How long two processes of one name may be in each other's way while they open a file that was moved. */
const SETTLE_MS = 1000;

/**
 * Refuse to open a file that is used by another name, and record this name when
 * the file was moved. Returns whether the name is recorded; `recordPlace` does the rest.
 */
export async function claimPlace(path: string, applicationId: number): Promise<boolean> {
  refuseHardLinks(path);
  const here = placeOf(path);
  let recorded: Place | undefined;
  let isRecorded = false;
  const attempt = (): boolean => {
    recorded = readPlace(path, applicationId);
    if (recorded === undefined) return true;
    isRecorded = isSamePlace(recorded, here) || takeOver(path, recorded, here);
    // Without the record: somebody has the file open by this name, perhaps a reader, which records nothing.
    return isRecorded || hasLocks(`${path}-shm`);
  };
  if (await waitUntil(attempt, SETTLE_MS)) return isRecorded;
  throw twoNames(path, recorded?.path ?? path);
}

/** For a file that is new, or that other connections have open. Their names were checked. */
export function recordPlace(database: DatabaseSync, path: string): void {
  writePlace(database, placeOf(path));
  // Another name leads to another log, so the record must be in the file itself.
  database.exec("PRAGMA wal_checkpoint");
}

function refuseHardLinks(path: string): void {
  const links = statOf(path)?.nlink ?? 1n;
  if (links <= 1n) return;
  throw unavailable(
    `${path} has ${links} hard links. Each name would have its own write-ahead log, and messages would be lost: remove the other names, or copy the file`,
  );
}

function placeOf(path: string): Place {
  const folder = statOf(dirname(path));
  return { path, folder: `${folder?.dev}:${folder?.ino}` };
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.folder === other.folder && basename(one.path) === basename(other.path);
}

/** `undefined` for a file that is not ours, is damaged, or has no record. */
function readPlace(path: string, applicationId: number): Place | undefined {
  // Without a log beside it, nothing is created or locked: perhaps this is the wrong name.
  const location = statOf(`${path}-wal`) === undefined ? immutableUrl(path) : path;
  try {
    using database = new DatabaseSync(location, { readOnly: true, timeout: 0 });
    if (pragma(database, "application_id") !== applicationId) return undefined;
    return database.prepare("SELECT path, folder FROM place").get() as Place | undefined;
  } catch {
    return undefined;
  }
}

/** Record a new name, unless the file has two or is in use. */
function takeOver(path: string, recorded: Place, here: Place): boolean {
  if (recorded.path !== path && isSameFile(statOf(recorded.path), statOf(path))) {
    throw twoNames(path, recorded.path);
  }
  try {
    using database = new DatabaseSync(path, { timeout: 0 });
    // Fails while any other process has the file open, by whatever name, even from another container.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    writePlace(database, here);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function writePlace(database: DatabaseSync, { path, folder }: Place): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec("CREATE TABLE IF NOT EXISTS place (path TEXT NOT NULL, folder TEXT NOT NULL) STRICT");
    database.exec("DELETE FROM place");
    database.prepare("INSERT INTO place (path, folder) VALUES (?, ?)").run(path, folder);
    database.exec("COMMIT");
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

function twoNames(path: string, other: string): ColloquyError {
  return unavailable(
    `${path} is also ${other}. Each name would have its own write-ahead log, and messages would be lost: open it as ${other}, or mount the folder instead of the file`,
    { details: { path: other } },
  );
}
