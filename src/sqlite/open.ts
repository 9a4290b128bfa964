import { chmodSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPrivate } from "../disk/create-private.ts";
import { isBusy } from "../disk/sqlite-code.ts";
import { ColloquyError, invalid, unavailable } from "../errors.ts";
import { LOCK_WAIT_MS } from "../util/wait.ts";
import { retryBusy, sqliteError } from "./busy.ts";
import type { Migration } from "./migrate.ts";
import { claimPlace, realPath, recordPlace } from "./place.ts";
import { immutableUrl, pragma, sqliteVersion } from "./pragma.ts";

export interface OpenOptions {
  readonly readonly?: boolean;
  /** `FULL` syncs the log at every commit; `NORMAL` only at a checkpoint. */
  readonly synchronous: "FULL" | "NORMAL";
  /** Marks the file as ours, so that a file of another program is never changed. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /** The content is derived: a file of an earlier schema is refused like one of a later, and not migrated. */
  readonly isDerived?: boolean;
  /** Whether extensions can be loaded into the connection. */
  readonly extensions?: boolean;
  readonly lockWaitMs?: number;
  /** Of a new file: free pages can be given back by `PRAGMA incremental_vacuum`. */
  readonly canShrink?: boolean;
}

/** Of new files. Messages have a few kilobytes: pages of 4 KB would stay a third empty, or more, and of 8 KB a seventh. */
export const PAGE_BYTES = 16_384;

/** This version fixes a rare loss of the write-ahead log when several processes write. */
const SAFE_VERSION = [3, 51, 3] as const;

/**
 * Open a SQLite file of ours and bring its schema up to date.
 *
 * Refused, with nothing changed: a folder, a file of another program
 * (`VALIDATION_ERROR`), a file of a newer version (`NOT_SUPPORTED`), a
 * damaged or unreachable one, or one that has a second name
 * (`SERVICE_UNAVAILABLE`).
 */
export async function openDatabase(file: string, options: OpenOptions): Promise<DatabaseSync> {
  const path = realPath(file);
  checkPlace(path, options.readonly === true);
  const waitMs = options.lockWaitMs ?? LOCK_WAIT_MS;
  let database: DatabaseSync | undefined;
  try {
    const isRecorded = options.readonly === true || (await claimPlace(path, options.applicationId));
    const opened = await retryBusy(path, waitMs, () => connect(path, options));
    database = opened;
    await retryBusy(path, waitMs, () => configure(opened, path, options));
    if (!options.readonly && pragma(opened, "user_version") !== options.migrations.length) {
      const { migrate } = await import("./migrate.ts");
      await retryBusy(path, waitMs, () => migrate(opened, path, options));
    }
    if (!isRecorded) await retryBusy(path, waitMs, () => recordPlace(opened, path));
    return opened;
  } catch (error) {
    database?.close();
    throw sqliteError(error, path);
  }
}

function checkPlace(path: string, readonly: boolean): void {
  // The log first: another process that is creating both writes the file before the log.
  const logged = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw invalid(`${path} is a folder; the sqlite engine needs a file`, "target");
  if ((stat?.size ?? 0) === 0 && logged > 0) {
    // SQLite would treat the file as new and remove the log, with everything that only the log holds.
    const state = stat === undefined ? "missing" : "empty";
    throw unavailable(
      `${path} is ${state} but ${path}-wal is not: the store is damaged. Copy both before you do anything else`,
    );
  }
  if (stat !== undefined) return;
  if (readonly) throw new ColloquyError("NOT_FOUND", `There is no store at ${path}`, { details: { path } });
  create(path);
}

function create(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    createPrivate(path);
  } catch (error) {
    throw unavailable(`Cannot create ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function connect(path: string, { readonly = false, extensions = false }: OpenOptions): DatabaseSync {
  const connection = { timeout: 0, readOnly: readonly, allowExtension: extensions };
  const database = new DatabaseSync(path, connection);
  if (!readonly) return database;
  try {
    database.exec("SELECT 1 FROM sqlite_schema LIMIT 1");
    return database;
  } catch (error) {
    database.close();
    if (isBusy(error)) throw error;
    // In a read-only folder SQLite cannot create the shared-memory file of a log; without a log none is needed.
    if (statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined) throw error;
    return new DatabaseSync(immutableUrl(path), connection);
  }
}

function configure(database: DatabaseSync, path: string, options: OpenOptions): void {
  // In one transaction: between two reads another process may initialise the file.
  database.exec("BEGIN");
  try {
    checkOwner(database, path, options);
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
  database.exec("PRAGMA foreign_keys = ON");
  if (options.readonly) return;
  if (isOlder(database, SAFE_VERSION)) database.exec("PRAGMA locking_mode = EXCLUSIVE");
  // Applies to new files only.
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  if (options.canShrink) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(`PRAGMA synchronous = ${options.synchronous}`);
  // A sixth faster where only checkpoints sync. With a sync for each commit, a log that grows that far is slower.
  if (options.synchronous === "NORMAL") database.exec("PRAGMA wal_autocheckpoint = 4000");
  // From the start: data that was deleted without it stays readable in the file.
  database.exec("PRAGMA secure_delete = ON");
  if (process.platform === "darwin") database.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
  for (const suffix of ["", "-wal", "-shm"]) {
    if (statSync(path + suffix, { throwIfNoEntry: false }) !== undefined) chmodSync(path + suffix, 0o600);
  }
}

function checkOwner(database: DatabaseSync, path: string, options: OpenOptions): void {
  const owner = pragma(database, "application_id");
  const version = pragma(database, "user_version");
  const empty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
  if (owner !== options.applicationId && !(empty && version === 0 && owner === 0)) {
    throw invalid(`${path} belongs to another program${importHint(database, path)}`, "target");
  }
  if (empty && options.readonly) {
    throw new ColloquyError("NOT_FOUND", `There is no store at ${path}: the file is empty`, {
      details: { path },
    });
  }
  const newest = options.migrations.length;
  if (version > newest) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `${path} was written by a newer Colloquy (schema ${version}, this one knows ${newest}). Update Colloquy`,
      { details: { version, newest } },
    );
  }
  if (options.isDerived && !empty && version < newest) {
    throw new ColloquyError("NOT_SUPPORTED", `${path} has schema ${version}, this Colloquy uses ${newest}`);
  }
  if (options.readonly && version < newest) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `${path} has schema ${version}: open it once for writing to migrate it to ${newest}`,
    );
  }
}

/** Conversations of another program can be imported, though the file cannot be opened as a store. */
function importHint(database: DatabaseSync, path: string): string {
  const tables = database
    .prepare(
      "SELECT count(*) AS found FROM sqlite_schema WHERE type = 'table' AND name IN ('sessions', 'messages')",
    )
    .get();
  return tables?.found === 2 ? `, but holds conversations: import them with "colloquy import ${path}"` : "";
}

function isOlder(database: DatabaseSync, than: readonly number[]): boolean {
  const have = sqliteVersion(database).split(".").map(Number);
  const at = than.findIndex((part, index) => have[index] !== part);
  return at !== -1 && (have[at] ?? 0) < (than[at] ?? 0);
}
