/**
 * The same work by hand: the same rows, indexes and metadata change in the
 * same transaction, without a front, a queue, checks or retries.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { migrations } from "../../src/engine/sqlite/migrations/migrations.ts";
import { PAGE_BYTES } from "../../src/sqlite/open.ts";
import { UuidSequence } from "../../src/util/uuid.ts";

export const CONTENT: string = "The quick brown fox jumps over the lazy dog. ".repeat(23).slice(0, 1024);

export class BareSqlite {
  readonly database: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #insert: StatementSync;
  readonly #grow: StatementSync;
  readonly #ids = new UuidSequence();
  readonly #state: { seq: number; head: string | null }[] = [];

  constructor(path: string, synchronous: "FULL" | "NORMAL", conversations = 1) {
    this.database = new DatabaseSync(path);
    this.database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous};
      PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON`);
    for (const { up } of migrations) {
      if (typeof up === "string") this.database.exec(up);
      else up(this.database);
    }
    this.#begin = this.database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.database.prepare("COMMIT");
    this.#insert = this.database.prepare(
      "INSERT INTO entries (conversation, seq, id, parent_id, kind, at, op, body) VALUES (?, ?, ?, ?, 'message', ?, NULL, ?)",
    );
    this.#grow = this.database.prepare(
      `UPDATE conversations SET last_seq = ?2, head = ?3, message_count = message_count + 1, updated_at = ?4,
        last_message_at = ?4, active_at = ?4 WHERE n = ?1`,
    );
    const create = this.database.prepare(
      "INSERT INTO conversations (id, created_at, updated_at, active_at) VALUES (?, ?, ?, ?)",
    );
    for (let n = 0; n < conversations; n++) {
      const now = Date.now();
      create.run(this.#ids.next(now), now, now, now);
      this.#state.push({ seq: 0, head: null });
    }
  }

  /** One message to each of the first `count` conversations, in one transaction. */
  append(count = 1): void {
    this.#begin.run();
    for (let n = 0; n < count; n++) {
      const state = this.#state[n] as { seq: number; head: string | null };
      const now = Date.now();
      const id = this.#ids.next(now);
      const body = JSON.stringify({ role: "user", content: CONTENT });
      this.#insert.run(n + 1, ++state.seq, id, state.head, now, body);
      this.#grow.run(n + 1, state.seq, id, now);
      state.head = id;
    }
    this.#commit.run();
  }
}

/** A table with one column and nothing else: a common yardstick, and of no use to anyone. */
export class PlainInsert {
  readonly #insert: StatementSync;

  constructor(path: string, synchronous: "FULL" | "NORMAL") {
    const database = new DatabaseSync(path);
    database.exec(
      `PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; CREATE TABLE plain (body TEXT)`,
    );
    this.#insert = database.prepare("INSERT INTO plain VALUES (?)");
  }

  append(): void {
    this.#insert.run(JSON.stringify({ role: "user", content: CONTENT }));
  }
}
