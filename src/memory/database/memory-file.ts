import type { DatabaseSync } from "node:sqlite";
import { ColloquyError } from "../../errors.ts";
import { retryBusy, sqliteError } from "../../sqlite/busy.ts";
import { realPath } from "../../sqlite/place.ts";
import { loadVectorFunctions, type VectorFunctions } from "../../sqlite/vectors/extension.ts";
import { VectorTable } from "../../sqlite/vectors/vector-table.ts";
import { LOCK_WAIT_MS } from "../../util/wait.ts";
import { ChunkStore } from "./chunk-store.ts";
import { type MemoryFileOptions, openMemoryFile } from "./open.ts";

/** The open file of a memory, and what is prepared for it. */
export class MemoryFile {
  readonly path: string;
  readonly database: DatabaseSync;
  readonly chunks: ChunkStore;
  readonly vectors: VectorTable;
  readonly vectorFunctions: VectorFunctions;
  readonly #lockWaitMs: number;
  readonly #isReadonly: boolean;

  static async open(path: string, options: MemoryFileOptions): Promise<MemoryFile> {
    const database = await openMemoryFile(path, options);
    return new MemoryFile(realPath(path), database, await loadVectorFunctions(database), options);
  }

  private constructor(
    path: string,
    database: DatabaseSync,
    functions: VectorFunctions,
    { lockWaitMs = LOCK_WAIT_MS, readonly = false }: MemoryFileOptions,
  ) {
    this.path = path;
    this.database = database;
    this.vectorFunctions = functions;
    this.vectors = new VectorTable(database, "memory_chunks_vec", functions.isLoaded);
    this.chunks = new ChunkStore(database, this.vectors);
    this.#lockWaitMs = lockWaitMs;
    this.#isReadonly = readonly;
  }

  /** Run a change as one transaction: all of it or nothing. Waits while another process writes. */
  async write<T>(change: () => T): Promise<T> {
    this.checkOpen();
    if (this.#isReadonly)
      throw new ColloquyError("SERVICE_UNAVAILABLE", `${this.path} is open for reading only`);
    try {
      // Without a pause in between: the cache of embeddings writes through the same connection.
      return await retryBusy(this.path, this.#lockWaitMs, () => this.#transaction(change));
    } catch (error) {
      throw sqliteError(error, this.path);
    }
  }

  #transaction<T>(change: () => T): T {
    this.database.exec("BEGIN IMMEDIATE");
    try {
      const result = change();
      this.database.exec("COMMIT");
      return result;
    } finally {
      if (this.database.isTransaction) this.database.exec("ROLLBACK");
    }
  }

  read<T>(work: () => T): T {
    this.checkOpen();
    try {
      return work();
    } catch (error) {
      throw sqliteError(error, this.path);
    }
  }

  checkOpen(): void {
    if (!this.database.isOpen) throw new ColloquyError("SERVICE_UNAVAILABLE", `${this.path} is closed`);
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }
}
