/** Databases in the temporary folder, where what cannot be read in its place is copied to. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import type { ColloquyError } from "../../errors.ts";
import { problem, problemOf } from "./problem.ts";

export interface TemporaryDatabase {
  readonly path: string;
  remove(): void;
}

/** Only the owner can enter the folder. `shown` is what will be copied, and `lack` what happens if it cannot be. */
export function temporaryDatabase(shown: string, lack?: string): TemporaryDatabase {
  const folder = folderFor(shown, lack);
  return {
    path: join(folder, "copy.sqlite"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function folderFor(shown: string, lack: string | undefined): string {
  try {
    return mkdtempSync(join(tmpdir(), "colloquy-source-"));
  } catch (error) {
    throw temporaryProblem(error, shown, lack);
  }
}

/** What only writing fails with, and sources are only read. */
const WRITE_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EROFS", "EFBIG"]);

/** Whether copying a file failed because of the copy. */
export function isOfTemporary(error: unknown): boolean {
  return WRITE_CODES.has((error as NodeJS.ErrnoException | null)?.code);
}

/** SQLITE_FULL: SQLite also sorts in the temporary folder. */
const FULL = 13;
/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_CANTOPEN. */
const REFUSALS: ReadonlySet<number> = new Set([8, 10, 14]);

export function isTemporaryFull(error: unknown): boolean {
  return sqliteCode(error) === FULL;
}

/** Whether SQLite could not work with a database in the temporary folder. */
export function isTemporaryRefused(error: unknown): boolean {
  const code = sqliteCode(error) ?? sqliteCode((error as Error | null)?.cause);
  return code === FULL || (code !== undefined && REFUSALS.has(code));
}

/** Why something was not read although it can be, and what to do. */
export function temporaryProblem(error: unknown, shown: string, lack = "was not read"): ColloquyError {
  if (problemOf(error) === "temporary") return error as ColloquyError;
  const variable = process.platform === "win32" ? "TEMP" : "TMPDIR";
  const instead = `or name another folder in ${variable}, and import it again`;
  return problem(
    "temporary",
    `${shown} ${lack}, because the temporary folder ${tmpdir()} ${stateOf(error)}, ${instead}`,
    error,
  );
}

function stateOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT" || isTemporaryFull(error)) return "is full: free some space";
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist: create it";
  const reason = sqliteCode(error) === undefined ? code : message;
  return `cannot be written to (${reason}): see to its permissions`;
}
