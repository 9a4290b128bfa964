/**
 * Remembers how far each file was read, so that the next import continues there.
 *
 * It only saves time: files that it does not know are read again, and their
 * entries are found in the store. It can be removed at any time, and a damaged
 * one is set aside.
 */
import { chmodSync, existsSync, renameSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { SqliteFileLock } from "../../../disk/file-lock.ts";
import { unavailable } from "../../../errors.ts";
import type { JsonObject } from "../../../util/json.ts";
import { AWAITING_SCHEMA, Awaiting } from "../forks/awaiting.ts";
import type { Skipped } from "../report.ts";
import { CONVERSATIONS_SCHEMA, Conversations, type RememberedConversation } from "./conversations.ts";
import { isBelow } from "./forgotten.ts";

/** A file after its last import. */
export interface FileMemory {
  readonly path: string;
  readonly identity: string;
  readonly size: number;
  readonly modifiedMs: number;
  /** `null` when no reader knows the file. */
  readonly format: string | null;
  /** The format that the user chose for it. */
  readonly wanted?: string | undefined;
  /** Only the formats of the tool in whose home it is were looked for. */
  readonly isNarrowed?: boolean | undefined;
  /** How far it was read, in uncompressed bytes and in lines. */
  readonly offset: number;
  readonly line: number;
  /** How far its bytes were kept: up to a record that its reader holds. */
  readonly kept: { readonly offset: number; readonly line: number };
  /** Of the part that was read; empty where reading cannot continue. */
  readonly fingerprint: string;
  /** All of it was read, and its end is complete. */
  readonly whole: boolean;
  readonly reader: unknown;
  readonly sink: JsonObject;
  /** It continues a file that was not found, which another one may offer (`Base.awaits`). */
  readonly awaits?: string | undefined;
  /** The conversation that it was before it was joined to another. */
  readonly former?: RememberedConversation | undefined;
  readonly skipped: readonly Skipped[];
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, format TEXT, memory TEXT NOT NULL) WITHOUT ROWID;
  ${CONVERSATIONS_SCHEMA}
  ${AWAITING_SCHEMA}
  CREATE TABLE IF NOT EXISTS begun (path TEXT PRIMARY KEY) WITHOUT ROWID;
`;
const ABOUT_SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;
export interface PutOptions {
  /** Its conversations that were not noted before. */
  readonly rest?: Iterable<RememberedConversation>;
  /** Those of the ids that files wait for which this one has. */
  readonly offered?: Iterable<string>;
  /** Only its end was read. */
  readonly continued?: boolean;
  /** See `Conversations.settle`. */
  readonly keepsOthers?: boolean;
  /** The file has to be read again. */
  readonly isDue?: boolean;
}

/** A ledger of another version is cleared. */
const VERSION = "7";

export class Ledger {
  readonly #database: DatabaseSync;
  readonly #lock: SqliteFileLock | undefined;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  readonly awaiting: Awaiting;
  readonly conversations: Conversations;

  private constructor(database: DatabaseSync, lock: SqliteFileLock | undefined) {
    this.#database = database;
    this.#lock = lock;
    this.awaiting = new Awaiting(database);
    this.conversations = new Conversations(database);
    this.#get = database.prepare("SELECT memory FROM files WHERE path = ?");
    this.#begin = database.prepare("INSERT OR IGNORE INTO begun (path) VALUES (?)");
    this.#end = database.prepare("DELETE FROM begun WHERE path = ?");
    this.#put = database.prepare("INSERT OR REPLACE INTO files (path, format, memory) VALUES (?, ?, ?)");
  }

  /** For a store without a file, and for runs that write nothing. */
  static inMemory(): Ledger {
    return new Ledger(prepared(":memory:", ""), undefined);
  }

  /**
   * `store` identifies the store: one that was recreated at the same path starts
   * with an empty ledger. Only one import at a time can open it.
   */
  static open(path: string, store: string): Ledger {
    const lock = new SqliteFileLock(`${path}.lock`);
    if (!lock.tryAcquire()) {
      const holder = lock.holder();
      lock.close();
      throw unavailable(`Another import into this store is running (${holder})`, {
        details: { reason: "import-running" },
      });
    }
    try {
      return new Ledger(openOrSetAside(path, store), lock);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  get(path: string): FileMemory | undefined {
    const row = this.#get.get(path);
    return row === undefined ? undefined : (JSON.parse(String(row.memory)) as FileMemory);
  }

  /**
   * The file is about to be written. Returns true if an earlier import ended in the middle of that: its entries may
   * all be there, and the rest of its work, such as checking out its branch, was not done.
   */
  begin(path: string): boolean {
    return written(() => {
      this.conversations.unstage(path);
      return this.#begin.run(path).changes === 0;
    });
  }

  /** These conversations of a file were read to their end, and are in the store. */
  note(path: string, conversations: Iterable<RememberedConversation>): void {
    this.#atOnce(() => this.conversations.stage(path, conversations));
  }

  /** The file was read, and is in the store. */
  put(
    memory: FileMemory,
    { rest = [], offered = [], continued = false, keepsOthers = false, isDue = false }: PutOptions = {},
  ): void {
    const { path, format, awaits, former } = memory;
    this.#atOnce(() => {
      this.conversations.stage(path, rest);
      this.#put.run(path, format, JSON.stringify(memory));
      this.conversations.settle(path, keepsOthers, former);
      this.#end.run(path);
      this.awaiting.put(path, awaits, offered, continued);
      if (isDue) this.awaiting.setDue(path);
    });
  }

  /** A file may hold many conversations, and a transaction for each would take longer than reading it. */
  #atOnce(write: () => void): void {
    written(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        write();
        this.#database.exec("COMMIT");
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        this.awaiting.reload();
        throw error;
      }
    });
  }

  *all(): Generator<FileMemory, void, undefined> {
    for (const row of this.#database.prepare("SELECT memory FROM files ORDER BY path").all()) {
      yield JSON.parse(String(row.memory)) as FileMemory;
    }
  }

  /** The files at this path or below it. */
  *below(path: string): Generator<FileMemory, void, undefined> {
    for (const memory of this.all()) if (isBelow(memory.path, path)) yield memory;
  }

  close(): void {
    this.#database.close();
    this.#lock?.release();
    this.#lock?.close();
  }
}

function openOrSetAside(path: string, store: string): DatabaseSync {
  try {
    return prepared(path, store);
  } catch (error) {
    if (!existsSync(path) || isPassing(error))
      throw unavailable(`Cannot open ${path}: ${(error as Error).message}`, { cause: error });
    setAside(path);
    return prepared(path, store);
  }
}

/** A disk that is full or fails is not the fault of the file that is being imported. */
function written<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw unavailable(`The ledger of imports cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Busy, out of memory, read-only, failing or full: the file itself may be intact. */
const PASSING: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14]);

function isPassing(error: unknown): boolean {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" && PASSING.has(code & 0xff);
}

function prepared(path: string, store: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    database.exec(ABOUT_SCHEMA);
    if (path !== ":memory:") chmodSync(path, 0o600);
    const about = new Map(
      database
        .prepare("SELECT name, value FROM about")
        .all()
        .map(({ name, value }) => [name, value]),
    );
    if (about.get("version") !== VERSION || about.get("store") !== store) begin(database, store);
    else database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function begin(database: DatabaseSync, store: string): void {
  const dropped = ["files", "conversations", "begun", "awaiting", "imported", "forgotten"];
  for (const table of dropped) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec(SCHEMA);
  const put = database.prepare("INSERT OR REPLACE INTO about (name, value) VALUES (?, ?)");
  put.run("version", VERSION);
  put.run("store", store);
}

function setAside(path: string): void {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, "-");
  for (const end of ["", "-wal", "-shm"]) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.damaged-${stamp}${end}`);
  }
}
