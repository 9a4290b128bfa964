/** Opens SQLite files of other programs, which may be in use. */
import { realpathSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import { copyOfDatabase, copyOfMember } from "./database-copy.ts";
import { databaseFiles, isSqliteFile, readHeader, sizeOf, sqliteProblem, urlOf } from "./database-files.ts";
import { columnsOf } from "./database-rows.ts";
import { refuseOwn } from "./file-bytes.ts";
import { LimitedRows } from "./limited-rows.ts";
import { IntactRows } from "./salvage/intact-rows.ts";
import { isTemporaryRefused, type TemporaryDatabase, temporaryProblem } from "./temporary-database.ts";
import type { OpenSourceDatabase, SourceFile } from "./types.ts";

/** Longer than a write of another program takes. A program that holds its lock longer will not release it soon. */
const LOCK_WAIT_MS = 500;

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_CANTOPEN: a copy may still be readable. */
const REFUSALS: ReadonlySet<number> = new Set([8, 10, 14]);

/**
 * Open a SQLite file for reading, with all that its write-ahead log holds.
 *
 * Nothing in it is changed, and files that are created beside it are removed
 * again. Transactions that another program commits are visible. Where this is
 * impossible in place, a copy is read, and always for a member of a zip and a
 * compressed file. Fails with a problem when the file is locked, damaged, or
 * not a SQLite file.
 */
export async function openSourceDatabase(file: string | SourceFile): Promise<OpenSourceDatabase> {
  if (typeof file === "string") return openInPlace(file);
  if (file.archive === undefined) refuseOwn(file.path);
  if (file.archive === undefined && isSqliteFile(file.path)) return openInPlace(file.path);
  return openedCopy(file.path, await copyOfMember(file), undefined);
}

function openInPlace(shown: string): OpenSourceDatabase {
  refuseOwn(shown);
  const { isLogged } = readHeader(shown);
  const path = realpathSync(shown);
  const { hasLog, hasIndex, hasJournal, isWritable } = databaseFiles(path, shown);
  if (isLogged && !hasLog) {
    return isWritable ? opened(path, shown, () => removeLog(path)) : immutable(path, shown);
  }
  // Opening it would leave the index of its log behind, which only a writer may remove.
  const copy = isLogged && !hasIndex ? copyOfDatabase(path, "-wal") : undefined;
  if (copy !== undefined) return openedCopy(shown, copy, "a copy was read, with its log");
  try {
    return opened(path, shown);
  } catch (error) {
    const code = sqliteCode((error as Error).cause);
    if (code === undefined || !REFUSALS.has(code) || !(isLogged || hasJournal)) throw error;
    const beside = isLogged ? "-wal" : "-journal";
    return instead(shown, copyOfDatabase(path, beside), beside, error);
  }
}

/** For a file without a place for the index of its log, or with the unfinished transaction of a killed program. */
function instead(
  shown: string,
  copy: TemporaryDatabase | undefined,
  beside: "-wal" | "-journal",
  error: unknown,
): OpenSourceDatabase {
  if (copy === undefined) throw error;
  if (beside === "-wal") return openedCopy(shown, copy, "a copy was read, with its log");
  return openedCopy(shown, copy, "a copy was read, without the transaction that was not finished");
}

function immutable(path: string, shown: string): OpenSourceDatabase {
  return opened(urlOf(path, { immutable: "1" }), shown, () => {}, "it was read as immutable");
}

/** A copy is opened for writing once, because only a writer rolls back an unfinished transaction. */
function openedCopy(shown: string, copy: TemporaryDatabase, note: string | undefined): OpenSourceDatabase {
  try {
    touch(new DatabaseSync(copy.path));
    return opened(copy.path, shown, copy.remove, note);
  } catch (error) {
    copy.remove();
    throw isTemporaryRefused(error) ? temporaryProblem(error, shown) : sqliteProblem(error, shown);
  }
}

function touch(database: DatabaseSync): void {
  try {
    database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  } finally {
    database.close();
  }
}

/**
 * Remove the empty log that reading created. Only SQLite may do so, because
 * another program may have begun to use it: it does when the last connection
 * that could write is closed.
 */
function removeLog(path: string): void {
  if ((sizeOf(`${path}-wal`) ?? 0) > 0) return;
  try {
    const database = new DatabaseSync(urlOf(path, { mode: "rw" }), { timeout: 0 });
    database.exec("PRAGMA query_only = 1");
    touch(database);
  } catch {
    // Another program uses it and will remove the log.
  }
}

function opened(
  location: string | URL,
  shown: string,
  after: () => void = () => {},
  note?: string,
): OpenSourceDatabase {
  let database: DatabaseSync | undefined;
  try {
    database = connect(location);
  } catch (error) {
    after();
    throw sqliteProblem(error, shown);
  }
  const connection = database;
  const limited = new LimitedRows(connection, shown);
  const tables = new Map<string, readonly string[]>();
  const known = (): string[] => [...tables].flatMap(([table, { length }]) => (length > 0 ? table : []));
  const rows = new IntactRows(connection, limited, shown, known);
  return {
    ...(note !== undefined && { note }),
    columns: (table) => {
      // Readers ask for every row.
      const columns = tables.get(table) ?? columnsOf(connection, table, shown);
      tables.set(table, columns);
      return columns;
    },
    rows: (sql, ...values) => rows.rows(sql, values),
    get leftOut() {
      return [...limited.leftOut, ...rows.lost];
    },
    get isDamaged() {
      return rows.isDamaged;
    },
    close: () => {
      if (!connection.isOpen) return;
      rows.close();
      connection.close();
      after();
    },
  };
}

/** The schema of the file is not trusted: it could run functions when it is read. */
function connect(location: string | URL): DatabaseSync {
  const options = { readOnly: true, timeout: LOCK_WAIT_MS, allowExtension: false, defensive: true };
  const database = new DatabaseSync(location, options);
  try {
    database.exec("PRAGMA query_only = 1; PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1");
    database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
