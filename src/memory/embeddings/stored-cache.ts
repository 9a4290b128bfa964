import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isBusy } from "../../disk/sqlite-code.ts";
import { blobOf, vectorOf } from "../../sqlite/vectors/blob.ts";
import type { EmbeddingCache } from "./cache.ts";

/** About 60 MB of vectors with 1536 dimensions. */
const ENTRIES_MAX = 10_000;

/** A cache in the file of the memory, so that it outlives the process. The oldest entries make room for new ones. */
export class StoredCache implements EmbeddingCache {
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #evict: StatementSync;
  readonly #entriesMax: number;

  constructor(database: DatabaseSync, entriesMax: number = ENTRIES_MAX) {
    this.#database = database;
    this.#entriesMax = entriesMax;
    this.#select = database.prepare("SELECT vector FROM embedding_cache WHERE space = ? AND key = ?");
    this.#insert = database.prepare(
      `INSERT INTO embedding_cache (space, key, vector) SELECT ?1, ?2, ?3
       WHERE NOT EXISTS (SELECT 1 FROM memory_forgotten WHERE hash = ?2) ON CONFLICT DO NOTHING`,
    );
    this.#evict = database.prepare(
      "DELETE FROM embedding_cache WHERE id <= (SELECT max(id) FROM embedding_cache) - ?",
    );
  }

  get(space: string, keys: readonly string[]): (Float32Array | undefined)[] {
    return keys.map((key) => vectorOf(this.#select.get(space, key)?.vector));
  }

  put(space: string, vectors: ReadonlyMap<string, Float32Array>): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      for (const [key, vector] of vectors) this.#insert.run(space, key, blobOf(vector));
      this.#evict.run(this.#entriesMax);
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      // Another process is writing. The vectors are right all the same, and may be asked for again.
      if (!isBusy(error)) throw error;
    }
  }
}
