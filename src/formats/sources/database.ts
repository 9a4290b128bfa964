/** SQLite files of other programs, which may be using them at this moment. */
import { DatabaseSync } from "node:sqlite";
import { sqliteCode } from "../../disk/sqlite-code.ts";
import { copyOfDatabase, copyOfMember, type TemporaryDatabase } from "./database-copy.ts";
import { databaseFiles, isSqliteFile, readHeader, sizeOf, sqliteProblem, urlOf } from "./database-files.ts";
import { columnsOf, rowsOf } from "./database-rows.ts";
import type { OpenSourceDatabase, SourceFile } from "./types.ts";

/** Somebody else's write is over by then, and a program that keeps its file locked will not let go of it. */
const LOCK_WAIT_MS = 500;

/** Read-only, it cannot be opened, reading failed: a copy may be read all the same. */
const REFUSALS: ReadonlySet<number> = new Set([8, 10, 14]);

/**
 * Open a SQLite file for reading, with all that its write-ahead log holds.
 *
 * Nothing is created where it lies, or it is removed again, and nothing in it
 * is changed; a program that writes to it meanwhile is seen to the end of its
 * last transaction. Where that cannot be had in place, a copy is read, and so
 * it is of a member of a zip and of a compressed file. Fails with a problem
 * when the file is locked, damaged, or no SQLite file.
 */
export async function openSourceDatabase(file: string | SourceFile): Promise<OpenSourceDatabase> {
  if (typeof file === "string") return openInPlace(file);
  if (file.archive === undefined && isSqliteFile(file.path)) return openInPlace(file.path);
  return openedCopy(file.path, await copyOfMember(file), undefined);
}

function openInPlace(path: string): OpenSourceDatabase {
  const { isLogged } = readHeader(path);
  const { hasLog, hasIndex, hasJournal, isWritable } = databaseFiles(path);
  if (isLogged && !hasLog) return isWritable ? opened(path, path, () => removeLog(path)) : immutable(path);
  // The index of a log would be left behind: nobody but a writer may remove it.
  const copy = isLogged && !hasIndex ? copyOfDatabase(path, "-wal") : undefined;
  if (copy !== undefined) return openedCopy(path, copy, "a copy was read, with its log");
  try {
    return opened(path, path);
  } catch (error) {
    const code = sqliteCode((error as Error).cause);
    if (code === undefined || !REFUSALS.has(code) || !(isLogged || hasJournal)) throw error;
    return instead(path, isLogged ? "-wal" : "-journal", error);
  }
}

/** Without a place for the index of its log, or with a transaction that a killed program left behind. */
function instead(path: string, suffix: "-wal" | "-journal", error: unknown): OpenSourceDatabase {
  const copy = copyOfDatabase(path, suffix);
  if (copy === undefined) throw error;
  if (suffix === "-wal") return openedCopy(path, copy, "a copy was read, with its log");
  return openedCopy(path, copy, "a copy was read, without the transaction that was not finished");
}

function immutable(path: string): OpenSourceDatabase {
  return opened(urlOf(path, { immutable: "1" }), path, () => {}, "it was read as one that nobody writes to");
}

/** A copy is opened for writing once, because only a writer takes back what was not finished. */
function openedCopy(shown: string, copy: TemporaryDatabase, note: string | undefined): OpenSourceDatabase {
  try {
    touch(new DatabaseSync(copy.path));
    return opened(copy.path, shown, copy.remove, note);
  } catch (error) {
    copy.remove();
    throw sqliteProblem(error, shown);
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
    // Somebody uses it, and removes the log in turn.
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
  return {
    ...(note !== undefined && { note }),
    columns: (table) => columnsOf(connection, table, shown),
    rows: (sql, ...values) => rowsOf(connection, sql, values, shown),
    close: () => {
      if (!connection.isOpen) return;
      connection.close();
      after();
    },
  };
}

/** What the file says about itself is not trusted: it may be made to run functions when it is read. */
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
