import type { Migration } from "../../sqlite/migrate.ts";
import { vectorTableSql } from "../../sqlite/vectors/vector-table.ts";
import { indexedWords, TOKENIZER } from "../recall/words.ts";

/** "clqm". It marks a file as a memory of Colloquy. */
export const APPLICATION_ID = 0x636c716d;

export const migrations: readonly Migration[] = [
  {
    name: "embedding cache",
    // Rows are evicted in the order in which they came, so the row id is the age.
    up: `
      CREATE TABLE embedding_cache (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        key TEXT NOT NULL,
        vector BLOB NOT NULL,
        UNIQUE (space, key)
      ) STRICT;
    `,
  },
  { name: "vectors of chunks", up: vectorTableSql("memory_chunks_vec") },
  {
    name: "sources, chunks and their words",
    up: `
      CREATE TABLE memory_sources (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        -- Tells whether a file is the same as when it was read; empty if that is not certain.
        stamp TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE memory_chunks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL UNIQUE,
        source INTEGER NOT NULL REFERENCES memory_sources,
        first_line INTEGER NOT NULL,
        last_line INTEGER NOT NULL,
        headings TEXT NOT NULL,
        text TEXT NOT NULL,
        hash TEXT NOT NULL,
        importance REAL NOT NULL,
        provenance TEXT,
        at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX memory_chunks_by_source ON memory_chunks (source, first_line);
      -- Hashes of forgotten texts, so that a file that still has them does not bring them back.
      CREATE TABLE memory_forgotten (hash TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
      CREATE VIRTUAL TABLE memory_chunks_fts USING fts5 (
        words, headings, tokenize = 'porter unicode61 remove_diacritics 2'
      );
      -- Otherwise deleted words stay in the index until it is merged.
      INSERT INTO memory_chunks_fts (memory_chunks_fts, rank) VALUES ('secure-delete', 1);
    `,
  },
  {
    name: "words as in the search of conversations",
    up: (database) => {
      database.exec(`
        DROP TABLE memory_chunks_fts;
        CREATE VIRTUAL TABLE memory_chunks_fts USING fts5 (words, headings, tokenize = "${TOKENIZER}");
        INSERT INTO memory_chunks_fts (memory_chunks_fts, rank) VALUES ('secure-delete', 1);
      `);
      const insert = database.prepare(
        "INSERT INTO memory_chunks_fts (rowid, words, headings) VALUES (?, ?, ?)",
      );
      for (const { id, text, headings } of database
        .prepare("SELECT id, text, headings FROM memory_chunks")
        .all()) {
        const above = (JSON.parse(String(headings)) as string[]).join(" ");
        insert.run(Number(id), indexedWords(String(text)), indexedWords(above));
      }
    },
  },
];
