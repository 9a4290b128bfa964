/**
 * Where a search index is kept: in a file, or in memory.
 *
 * It is derived, so a file that is damaged or of another version is removed, and built again. While there is a file
 * that cannot be used, an index in memory takes its place.
 */
import { rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, sqliteCode } from "../disk/sqlite-code.ts";
import { ColloquyError, unavailable } from "../errors.ts";
import { isDamage } from "../sqlite/damage.ts";
import { openDatabase } from "../sqlite/open.ts";
import { IndexFile } from "./index-file.ts";
import { createTables, SEARCH_APPLICATION_ID, SEARCH_MIGRATIONS } from "./schema.ts";

/** A search does not wait longer for it. */
const LOCK_WAIT_MS = 2000;
const OPTIONS = {
  synchronous: "NORMAL",
  canShrink: true,
  applicationId: SEARCH_APPLICATION_ID,
  migrations: SEARCH_MIGRATIONS,
  isDerived: true,
  lockWaitMs: LOCK_WAIT_MS,
} as const;

export class IndexPlace {
  readonly #path: string | null;
  readonly #canExtend: boolean;
  readonly #report: (error: unknown) => void;
  #opening: Promise<IndexFile> | undefined;
  #file: IndexFile | undefined;
  /** Of the file that is open; `undefined` in memory. */
  #inode: bigint | undefined;
  #refusal: unknown;

  /** `canExtend`: whether extensions of SQLite can be loaded. */
  constructor(path: string | null, canExtend: boolean, report: (error: unknown) => void) {
    this.#path = path;
    this.#canExtend = canExtend;
    this.#report = report;
  }

  /** The index that is open. */
  get file(): IndexFile | undefined {
    return this.#file;
  }

  /** Why an index in memory takes the place of the file. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** Whether there is something to erase words from. */
  get exists(): boolean {
    return (
      this.#file !== undefined ||
      this.#opening !== undefined ||
      (this.#path !== null && inodeOf(this.#path) !== undefined)
    );
  }

  /** The file that has words, though it cannot be changed. */
  get unusedFile(): string | undefined {
    const isUnused = this.#path !== null && this.#inode === undefined && inodeOf(this.#path) !== undefined;
    return isUnused ? (this.#path as string) : undefined;
  }

  open(): Promise<IndexFile> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** It is damaged, or cannot be written to. */
  async leave(file: IndexFile, error: unknown): Promise<void> {
    this.#report(error);
    if (file !== this.#file) return;
    const inode = this.#inode;
    this.#close();
    if (this.#path === null || inode === undefined) return;
    // Another process may have replaced it already.
    if (isBroken(error) && inodeOf(this.#path) === inode) remove(this.#path);
    if (!isUnwritable(error)) return;
    this.#file = inMemory(this.#canExtend);
    this.#refusal = error;
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    this.#close();
  }

  #close(): void {
    this.#file?.database.close();
    this.#file = undefined;
    this.#inode = undefined;
  }

  async #open(): Promise<IndexFile> {
    const path = this.#path;
    if (path === null) {
      this.#file ??= inMemory(this.#canExtend);
      return this.#file;
    }
    const inode = inodeOf(path);
    if (this.#file !== undefined && inode !== undefined && inode === this.#inode) return this.#file;
    try {
      const database = await openIn(path, this.#canExtend, this.#report);
      this.#close();
      this.#file = new IndexFile(database);
      this.#inode = inodeOf(path);
      this.#refusal = undefined;
    } catch (error) {
      if (isLocked(error)) throw error;
      this.#report(error);
      this.#refusal = error;
      if (this.#inode !== undefined) this.#close();
      this.#file ??= inMemory(this.#canExtend);
    }
    return this.#file;
  }
}

function inMemory(allowExtension: boolean): IndexFile {
  const database = new DatabaseSync(":memory:", { allowExtension });
  createTables(database);
  return new IndexFile(database);
}

async function openIn(
  path: string,
  extensions: boolean,
  report: (error: unknown) => void,
): Promise<DatabaseSync> {
  const folder = dirname(path);
  if (inodeOf(folder) === undefined) throw unavailable(`${folder} does not exist`);
  const inode = inodeOf(path);
  try {
    return await openWritable(path, extensions);
  } catch (error) {
    if (!isBroken(error) && !isOtherVersion(error) && !isLogAlone(path)) throw error;
    report(error);
    if (inodeOf(path) === inode) remove(path);
    return await openWritable(path, extensions);
  }
}

/** SQLite opens a file that cannot be written to, and says so only when it is. */
async function openWritable(path: string, extensions: boolean): Promise<DatabaseSync> {
  const database = await openDatabase(path, { ...OPTIONS, extensions });
  try {
    database.exec("BEGIN IMMEDIATE; DELETE FROM state WHERE name = ''; ROLLBACK");
    return database;
  } catch (error) {
    if (isBusy(error)) return database;
    database.close();
    throw error;
  }
}

const SQL_ERROR = 1;
const READ_ONLY = 8;
const CANNOT_OPEN = 14;

/** Damaged, or without one of its tables. */
export function isBroken(error: unknown): boolean {
  if (isDamage(error)) return true;
  return codeOf(error) === SQL_ERROR && /\bno such table\b/.test((error as Error).message);
}

export function isUnwritable(error: unknown): boolean {
  return [READ_ONLY, CANNOT_OPEN].includes(codeOf(error) ?? 0);
}

export function isLocked(error: unknown): boolean {
  return isBusy(error) || (error instanceof ColloquyError && isBusy(error.cause));
}

function codeOf(error: unknown): number | undefined {
  return sqliteCode(error instanceof ColloquyError ? error.cause : error);
}

function isOtherVersion(error: unknown): boolean {
  return error instanceof ColloquyError && error.code === "NOT_SUPPORTED";
}

/** The file was removed, and its log was not. */
function isLogAlone(path: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size === 0 && inodeOf(`${path}-wal`) !== undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}

/** The log first: without it the file is an earlier state, and a log without its file is refused. */
function remove(path: string): void {
  for (const suffix of ["-wal", "-shm", ""]) rmSync(path + suffix, { force: true });
}
