/** The files beside a SQLite file, and the errors of SQLite. */
import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { systemIo } from "../../disk/file-io.ts";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import { withFile } from "../../disk/with-file.ts";
import type { ColloquyError } from "../../errors.ts";
import { fileProblem, problem, problemOf } from "./problem.ts";
import { isTemporaryFull, temporaryProblem } from "./temporary-database.ts";
import type { SourceFile } from "./types.ts";

const HEADER_BYTES = 20;
const SIGN = "SQLite format 3\0";
/** The version in the header of a file in write-ahead log mode. */
const LOG_VERSION = 2;

/** Parsed here, because SQLite would create files beside it. */
export function readHeader(path: string): { readonly isLogged: boolean } {
  const header = Buffer.alloc(HEADER_BYTES);
  try {
    withFile(systemIo, path, "read", (file) => systemIo.read(file, header, 0));
  } catch (error) {
    throw fileProblem(error, path);
  }
  if (header.toString("latin1", 0, SIGN.length) !== SIGN) {
    throw problem("damaged", `${path} is not a SQLite file`);
  }
  return { isLogged: header[18] === LOG_VERSION || header[19] === LOG_VERSION };
}

export function isSqliteFile(path: string): boolean {
  try {
    readHeader(path);
    return true;
  } catch {
    return false;
  }
}

export interface DatabaseFiles {
  readonly hasLog: boolean;
  readonly hasIndex: boolean;
  readonly hasJournal: boolean;
  /** It can be opened for writing, and files beside it can be created and removed. */
  readonly isWritable: boolean;
}

/** Fails when one of them is not a plain file. `path` is not a link: SQLite looks for them beside its target. */
export function databaseFiles(path: string, shown: string): DatabaseFiles {
  for (const end of ["-journal", "-wal", "-shm"]) refuseOdd(path + end, shown);
  return {
    hasLog: sizeOf(`${path}-wal`) !== undefined,
    hasIndex: sizeOf(`${path}-shm`) !== undefined,
    hasJournal: (sizeOf(`${path}-journal`) ?? 0) > 0,
    isWritable: mayWrite(path) && mayWrite(dirname(resolve(path))),
  };
}

export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Changes of a database may stay in its write-ahead log for a long time. */
export function hasLog({ path, archive }: SourceFile): boolean {
  return archive === undefined && (sizeOf(`${path}-wal`) ?? 0) > 0;
}

/** Opening a pipe would wait forever, a device may do anything, and a link leads anywhere. */
function refuseOdd(beside: string, shown: string): void {
  const isPlain = lstatSync(beside, { throwIfNoEntry: false })?.isFile() ?? true;
  if (isPlain) return;
  const reason = `${basename(beside)} beside it is not a plain file`;
  throw problem("unsupported", `${shown} was not read, because ${reason}`);
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export function urlOf(path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = pathToFileURL(path);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** An error of SQLite as a problem of the file. */
export function sqliteProblem(error: unknown, path: string): ColloquyError {
  if (problemOf(error) !== undefined) return error as ColloquyError;
  if (isTemporaryFull(error)) return temporaryProblem(error, path);
  switch (sqliteCode(error)) {
    case 5:
    case 6:
      return problem("locked", `${path} is locked by the program that uses it. Try again later`, error);
    case 11:
    case 26:
      return problem("damaged", `${path} is damaged: ${(error as Error).message}`, error);
    default:
      return problem("unreadable", `Cannot read ${path}: ${(error as Error).message}`, error);
  }
}
