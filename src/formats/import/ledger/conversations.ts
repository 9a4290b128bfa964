/**
 * The conversations of each file, in the ledger: how the last import of the file has left them.
 *
 * There may be a million in one file, so they are read one at a time, and written while the file is read. Until all
 * of it is done they are staged, because only then what was known of it before is replaced.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";

export interface RememberedConversation {
  readonly id: string;
  readonly sourceId: string;
  /** Where its log ended after the import, and the last entry on a path, to compare with the store. */
  readonly lastSeq: number;
  readonly lastId: string | null;
  /** A hash of its title, which may be the first words of the user (`titleMark`). */
  readonly titleMark: string | null;
  /** A hash of the session key that its source gave it. */
  readonly keyMark: string | null;
  /** When its source says it began, in epoch milliseconds, and whether it says that it is a copy of another one. */
  readonly createdAt?: number | undefined;
  readonly isCopy?: true | undefined;
  /** What it shares with other sources of the same conversation, if that is not its own id. */
  readonly root?: string | undefined;
  /** Its tool hides the file: it is archived. */
  readonly isHidden?: true;
  /** The version that the reader passed to `isCurrent`. */
  readonly version: string | null;
}

/** A conversation as an import of one file has left it. */
export interface LeftConversation extends RememberedConversation {
  readonly path: string;
  readonly format: string;
  /** The file belongs to another one by now. */
  readonly isFormer: boolean;
}

/** Rows of files that the ledger does not know any more have no meaning. */
export const CONVERSATIONS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS conversations (
    path TEXT, state INTEGER, source_id TEXT, id TEXT, memory TEXT NOT NULL, UNIQUE (path, state, source_id)
  );
  CREATE INDEX IF NOT EXISTS conversations_by_id ON conversations (id);
`;

const CURRENT = 0;
const STAGED = 1;
const FORMER = 2;

const PAGE_ROWS = 1000;

export class Conversations {
  readonly #database: DatabaseSync;
  readonly #statements: Map<string, StatementSync> = new Map();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Those of a file, by their ids in the source. The ledger may be changed meanwhile. */
  *ofFile(path: string): Generator<RememberedConversation, void, undefined> {
    for (let after = ""; ; ) {
      const rows = this.#all(
        `SELECT source_id, memory FROM conversations WHERE path = ? AND state = ${CURRENT} AND source_id > ?
         ORDER BY source_id LIMIT ${PAGE_ROWS}`,
        path,
        after,
      );
      for (const row of rows) yield parsed(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return;
      after = String(last.source_id);
    }
  }

  /** A conversation of a file, by its id in the source. */
  bySourceId(path: string, sourceId: string): RememberedConversation | undefined {
    const [row] = this.#all(
      `SELECT memory FROM conversations WHERE path = ? AND state = ${CURRENT} AND source_id = ?`,
      path,
      sourceId,
    );
    return row && parsed(row);
  }

  /** By its id in the store. */
  byId(path: string, id: string): RememberedConversation | undefined {
    const [row] = this.#all(
      `SELECT memory FROM conversations WHERE id = ? AND path = ? AND state = ${CURRENT} ORDER BY rowid DESC LIMIT 1`,
      id,
      path,
    );
    return row && parsed(row);
  }

  /** The one that the file ended with. */
  last(path: string): RememberedConversation | undefined {
    const [row] = this.#all(
      `SELECT memory FROM conversations WHERE path = ? AND state = ${CURRENT} ORDER BY rowid DESC LIMIT 1`,
      path,
    );
    return row && parsed(row);
  }

  /** A conversation as each of its files has left it. */
  of(id: string): LeftConversation[] {
    const rows = this.#all(
      `SELECT path, state, conversations.memory, files.format FROM conversations JOIN files USING (path)
       WHERE id = ? AND state <> ${STAGED} AND format IS NOT NULL`,
      id,
    );
    return rows.map((row) => ({
      ...parsed(row),
      path: String(row.path),
      format: String(row.format),
      isFormer: row.state === FORMER,
    }));
  }

  /** A file is being read. */
  stage(path: string, conversations: Iterable<RememberedConversation>): void {
    for (const known of conversations) this.#write(path, STAGED, known);
  }

  /** Nothing of it is known to be done. */
  unstage(path: string): void {
    this.#run(`DELETE FROM conversations WHERE path = ? AND state = ${STAGED}`, path);
  }

  /** All of it is done. `keepsOthers`: conversations that it had before and that were not read now are in it still. */
  settle(path: string, keepsOthers: boolean, former: RememberedConversation | undefined): void {
    const isReplaced = keepsOthers
      ? `AND source_id IN (SELECT source_id FROM conversations WHERE path = ?1 AND state = ${STAGED})`
      : "";
    this.#run(`DELETE FROM conversations WHERE path = ?1 AND state = ${CURRENT} ${isReplaced}`, path);
    this.#run(`UPDATE conversations SET state = ${CURRENT} WHERE path = ? AND state = ${STAGED}`, path);
    this.#run(`DELETE FROM conversations WHERE path = ? AND state = ${FORMER}`, path);
    if (former !== undefined) this.#write(path, FORMER, former);
  }

  /** One of a file that was not read. */
  replace(path: string, known: RememberedConversation): void {
    this.#write(path, CURRENT, known);
  }

  #write(path: string, state: number, known: RememberedConversation): void {
    this.#run(
      "INSERT OR REPLACE INTO conversations (path, state, source_id, id, memory) VALUES (?, ?, ?, ?, ?)",
      path,
      state,
      known.sourceId,
      known.id,
      JSON.stringify(known),
    );
  }

  #all(sql: string, ...values: readonly string[]): Record<string, unknown>[] {
    return this.#prepared(sql).all(...values);
  }

  #run(sql: string, ...values: readonly (string | number)[]): void {
    this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function parsed({ memory }: Record<string, unknown>): RememberedConversation {
  return JSON.parse(String(memory)) as RememberedConversation;
}
