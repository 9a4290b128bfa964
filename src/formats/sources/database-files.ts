/** The files beside a SQLite file, and the errors of SQLite. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { systemIo } from "../../disk/file-io.ts";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import { withFile } from "../../disk/with-file.ts";
import type { ColloquyError } from "../../errors.ts";
import { fileProblem, problem, problemOf } from "./problem.ts";

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

export function databaseFiles(path: string): DatabaseFiles {
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
