/** The tables of a search index. */
import type { DatabaseSync } from "node:sqlite";
import type { Migration } from "../sqlite/migrate.ts";
import { vectorTableSql } from "../sqlite/vectors/vector-table.ts";

/** "CqSe" */
export const SEARCH_APPLICATION_ID = 0x43715365;

/**
 * Changes when other words are indexed for the same text: an index of another version is built again.
 * So do the tables of Unicode, which tell letters from other characters.
 */
export const WORDS_VERSION: string = `3 ${process.versions.unicode}`;

/** The name of the table of vectors. Its items are documents. */
export const VECTORS = "vectors";

/** What the words of a document are. The number is stored. */
export const FIELDS = ["text", "tool", "thinking", "output", "title"] as const;
export type Field = (typeof FIELDS)[number];

/** An index of an earlier schema is not migrated, but built again. */
const REPLACED: Migration = { name: "replaced by a later one", up: "" };

/**
 * `documents` has a row for each field of a message that has words, and one for each title, at position 0. Their ids
 * are dense, which keeps the lists of `words` short. Positions count the messages of a conversation.
 *
 * `forgotten` has a row for each erasure; one without `seq` is of a whole conversation. See `Erasures`.
 */
export const SEARCH_MIGRATIONS: readonly Migration[] = [
  REPLACED,
  {
    name: "documents and their words",
    up: `
      CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE conversations (
        n INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        key TEXT,
        channel TEXT,
        title TEXT,
        seq INTEGER NOT NULL,
        position INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE documents (
        id INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL,
        position INTEGER NOT NULL,
        field INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        length INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX documents_by_position ON documents (conversation, position);
      CREATE TABLE forgotten (
        n INTEGER PRIMARY KEY AUTOINCREMENT,
        conversation TEXT NOT NULL,
        seq INTEGER,
        at INTEGER NOT NULL,
        state INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE VIRTUAL TABLE words USING fts5(
        text, content = '', columnsize = 0, tokenize = "ascii tokenchars '.+=:_-'"
      );
      CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
      CREATE VIRTUAL TABLE instances USING fts5vocab(words, instance);
      INSERT INTO words(words, rank) VALUES ('secure-delete', 1);
      INSERT INTO words(words, rank) VALUES ('pgsz', 8100);
    `,
  },
  { name: "vectors of messages", up: vectorTableSql(VECTORS) },
];

/** Create the tables in a database that has none, without a file. */
export function createTables(database: DatabaseSync): void {
  for (const { up } of SEARCH_MIGRATIONS) {
    if (typeof up === "string") database.exec(up);
    else up(database);
  }
}
