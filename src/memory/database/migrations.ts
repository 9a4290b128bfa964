import type { Migration } from "../../sqlite/migrate.ts";
import { vectorTableSql } from "../vectors/vector-table.ts";

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
];
