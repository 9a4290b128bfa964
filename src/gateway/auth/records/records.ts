/**
 * `gateway.db` in the state folder: users, tokens, sign-ins, keys, limits and audit entries. What clients present is
 * stored as a hash, but the keys that sign access tokens and derive refresh tokens are stored as they are.
 */
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { unavailable } from "../../../errors.ts";
import { sqliteError } from "../../../sqlite/busy.ts";
import { openDatabase } from "../../../sqlite/open.ts";
import { isExclusive } from "../../../sqlite/pragma.ts";
import { ensurePrivate } from "../../../state/permissions.ts";
import type { Clock } from "../../../util/time.ts";
import type { Random } from "../../../util/uuid.ts";
import { MIGRATIONS } from "./migrations.ts";

export type Row = Readonly<Record<string, unknown>>;

/** What changes the records. */
export interface Keeper {
  readonly records: Records;
  readonly random: Random;
  readonly clock: Clock;
}

const APPLICATION_ID = 0x43714777;
/** Another process holds the lock for a few milliseconds. */
const BUSY_MS = 2000;

export class Records {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
  }

  static async open(stateDir: string): Promise<Records> {
    const path = join(stateDir, "gateway.db");
    for (const place of [stateDir, path]) {
      const open = ensurePrivate(place);
      // Others could read the keys, or put a file of theirs in its place.
      if (open?.repaired === false) throw unavailable(open.message);
    }
    // A revocation must survive a power cut, so each commit is synced.
    const database = await openDatabase(path, {
      synchronous: "FULL",
      applicationId: APPLICATION_ID,
      migrations: MIGRATIONS,
    });
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    return new Records(path, database);
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#guarded(() => this.#prepared(sql).get(...values));
  }

  all(sql: string, ...values: readonly SQLInputValue[]): Row[] {
    return this.#guarded(() => this.#prepared(sql).all(...values));
  }

  /** The number of rows that changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return this.#guarded(() => Number(this.#prepared(sql).run(...values).changes));
  }

  /** All or nothing, and alone: what was read inside is still true when it is written. */
  write<T>(work: () => T): T {
    return this.#guarded(() => {
      if (this.#database.isTransaction) return work();
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        this.#database.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** Not synced, for what may be lost in a power cut: the thread does not wait for the disk. */
  writeLazily<T>(work: () => T): T {
    // Inside a transaction the setting cannot change, and would not matter.
    if (this.#database.isTransaction) return work();
    this.#database.exec("PRAGMA synchronous = NORMAL");
    try {
      return this.write(work);
    } finally {
      this.#database.exec("PRAGMA synchronous = FULL");
    }
  }

  /** Changes when this process or another one has written. Costs microseconds. */
  version(): string {
    const other = this.get("PRAGMA data_version")?.data_version;
    return `${other}.${this.get("SELECT total_changes() AS own")?.own}`;
  }

  /** Whether no other connection can open the file, not even one of this process. */
  isExclusive(): boolean {
    return isExclusive(this.#database);
  }

  close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.path);
    }
  }
}
