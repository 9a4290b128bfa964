/** The search index of a store: in a file beside it, or in memory, and derived from its change feed. */
import { rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "../disk/sqlite-code.ts";
import { asColloquyError, ColloquyError, unavailable } from "../errors.ts";
import { isDamage } from "../sqlite/damage.ts";
import { emptyLog } from "../sqlite/empty-log.ts";
import { openDatabase } from "../sqlite/open.ts";
import { loadVectorFunctions } from "../sqlite/vectors/extension.ts";
import { VectorTable } from "../sqlite/vectors/vector-table.ts";
import { ENGLISH } from "../text/languages.ts";
import type { Query } from "../text/query.ts";
import { findCandidates, type Scope, vectorCondition } from "./candidates.ts";
import { type BuildProgress, catchUp } from "./catch-up.ts";
import { forgetConversation, forgetEntry, forgetKey } from "./forget.ts";
import { type DocumentRow, type IndexedConversation, IndexFile } from "./index-file.ts";
import { MessageVectors, type SemanticModel } from "./message-vectors.ts";
import { type RankedMessage, rankMessages } from "./rank.ts";
import { createTables, SEARCH_APPLICATION_ID, SEARCH_MIGRATIONS, VECTORS } from "./schema.ts";
import type { SearchSource } from "./source.ts";

export interface SearchIndexOptions {
  readonly source: SearchSource;
  /** The file, or `null` for an index in memory. */
  readonly path: string | null;
  /** Also search by meaning, with vectors of this model. */
  readonly semantic?: SemanticModel | undefined;
  /** Receives what is wrong with the file. The index is then built again, or is used as far as it is complete. */
  readonly onProblem: (problem: ColloquyError) => void;
}

const BUSY_PAUSE_MS = 10;
const CLOSEST_MAX = 200;
/** Languages with a smaller part of the documents are not searched by their rules. */
const LANGUAGE_PART_MIN = 0.002;

export class SearchIndex {
  readonly #options: SearchIndexOptions;
  #opening: Promise<IndexFile> | undefined;
  #file: IndexFile | undefined;
  #inode: bigint | undefined;
  #vectors: MessageVectors | undefined;
  #running: Promise<boolean> | undefined;
  #embedding: Promise<boolean> | undefined;
  #onProgress: ((progress: BuildProgress) => void) | undefined;
  readonly #closing = new AbortController();

  constructor(options: SearchIndexOptions) {
    this.#options = options;
  }

  /**
   * Index what is new, for at most `waitMs`. Returns whether the index is complete; if not, work continues in the
   * background until the index is closed.
   */
  async update(waitMs: number): Promise<boolean> {
    this.#running ??= this.#catchUp().finally(() => {
      this.#running = undefined;
    });
    return within(this.#running, waitMs);
  }

  /** The same for the vectors of messages. A failure of the model is thrown. */
  async updateVectors(waitMs: number): Promise<boolean> {
    const vectors = this.#vectors;
    if (vectors === undefined) return false;
    this.#embedding ??= this.#patiently(() =>
      vectors.embedPending(this.#options.source, this.#closing.signal),
    ).finally(() => {
      this.#embedding = undefined;
    });
    // It may fail after the wait is over.
    this.#embedding.catch(() => {});
    return within(this.#embedding, waitMs);
  }

  /** Build it again from the beginning; if that was stopped, from there on. Fails if the file cannot be written. */
  async rebuild(onProgress?: (progress: BuildProgress) => void): Promise<void> {
    const file = await this.#open();
    if (file.place !== undefined) await this.#patiently(() => file.transaction(() => file.clear()));
    this.#onProgress = onProgress;
    try {
      await this.#complete();
    } finally {
      this.#onProgress = undefined;
    }
  }

  /** The languages of the texts in the index, as places in `LANGUAGES`. */
  get languages(): number[] {
    const counts = Object.entries(this.#file?.languages ?? {});
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const used = counts
      .filter(([, count]) => count >= total * LANGUAGE_PART_MIN)
      .map(([name]) => Number(name));
    return [...new Set([ENGLISH, ...used])];
  }

  /** Messages that have terms of the query, or whose neighbours have, from the best to the worst. */
  rank(query: Query, scope: Scope, accepts: (row: DocumentRow) => boolean): RankedMessage[] {
    const file = this.#file;
    if (file === undefined) return [];
    return this.#orEmpty(() => rankMessages(file, findCandidates(file, query, scope), accepts));
  }

  /** The messages that are closest to a text in meaning, best first. */
  async closest(
    text: string,
    scope: Scope,
    accepts: (row: DocumentRow) => boolean,
  ): Promise<RankedMessage[]> {
    const [file, vectors] = [this.#file, this.#vectors];
    const where = file && vectorCondition(file, scope);
    if (file === undefined || vectors === undefined || where === undefined) return [];
    const found = await vectors.closest(text, CLOSEST_MAX, where);
    return found
      .filter(({ row }) => accepts(row))
      .map(({ row, score }) => ({
        conversation: row.conversation,
        position: row.position,
        score,
        isMatch: true,
      }));
  }

  conversation(id: string): IndexedConversation | undefined {
    return this.#file?.conversation(id);
  }

  conversationByNumber(n: number): IndexedConversation | undefined {
    return this.#file?.conversationByNumber(n);
  }

  /** The numbers of conversations that a filter accepts. */
  conversationsWhere(accepts: (conversation: IndexedConversation) => boolean): number[] {
    const all = this.#file?.prepare("SELECT * FROM conversations").all() ?? [];
    return (all as unknown as IndexedConversation[]).filter(accepts).map(({ n }) => n);
  }

  /** The documents of a message, or the title at position 0. */
  documentsAt({ conversation, position }: RankedMessage): DocumentRow[] {
    const sql = "SELECT * FROM documents WHERE conversation = ? AND position = ?";
    return (this.#file?.prepare(sql).all(conversation, position) ?? []) as unknown as DocumentRow[];
  }

  /**
   * Remove the words of a conversation, or of the entry `seq`, before the store erases them; 0 is the session key.
   * Returns the files that may still hold some of them.
   */
  async forget(conversation: string, seq?: number): Promise<readonly string[]> {
    const { source, path } = this.#options;
    if (this.#opening === undefined && (path === null || !exists(path))) return [];
    try {
      const file = await this.#open();
      if (file.conversation(conversation) === undefined) return [];
      await this.#patiently(() => file.transaction(() => file.noteForgotten(conversation, Date.now())));
      await this.#patiently(() => {
        if (seq === 0) return forgetKey(file, conversation);
        return seq === undefined
          ? forgetConversation(file, source, conversation)
          : forgetEntry(file, source, conversation, seq);
      });
      return path === null || emptyLog(file.database) ? [] : [`${path}-wal`];
    } catch (error) {
      this.#report(error);
      return path === null ? [] : [path];
    }
  }

  /** The store has erased what `forget` removed. */
  async forgotten(conversation: string): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    try {
      await this.#patiently(() => file.transaction(() => file.settleForgotten(conversation)));
    } catch (error) {
      this.#report(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([this.#running, this.#embedding]);
    await this.#opening?.then(({ database }) => database.close()).catch(() => {});
  }

  /** The index is used as far as it is complete if its file is read-only, for example, or the disk is full. */
  async #catchUp(): Promise<boolean> {
    try {
      return await this.#complete();
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** False if the index was closed meanwhile. */
  async #complete(): Promise<boolean> {
    try {
      const file = await this.#open();
      const options = { isStopped: () => this.#closing.signal.aborted, onProgress: this.#onProgress };
      return await this.#patiently(() => catchUp(file, this.#options.source, options));
    } catch (error) {
      if (isOtherFeed(error)) return this.#startAgain();
      if (this.#closing.signal.aborted) return false;
      if (isDamage(error)) {
        await this.#replace(error);
        return this.#complete();
      }
      throw error;
    }
  }

  /** The store was replaced by a copy. */
  async #startAgain(): Promise<boolean> {
    const file = await this.#open();
    await this.#patiently(() => file.transaction(() => file.clear()));
    return this.#complete();
  }

  /** Retry while another process writes to the index. */
  async #patiently<T>(work: () => T | Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isBusy(error) || this.#closing.signal.aborted) throw error;
        await sleep(BUSY_PAUSE_MS);
      }
    }
  }

  async #open(): Promise<IndexFile> {
    const { path } = this.#options;
    if (this.#opening !== undefined && path !== null && inodeOf(path) !== this.#inode) await this.#leave();
    this.#opening ??= this.#openFile(path);
    try {
      this.#file = await this.#opening;
      return this.#file;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #openFile(path: string | null): Promise<IndexFile> {
    if (path === null) {
      const database = new DatabaseSync(":memory:", { allowExtension: this.#options.semantic !== undefined });
      createTables(database);
      return this.#opened(database);
    }
    const options = {
      synchronous: "NORMAL",
      canShrink: true,
      extensions: this.#options.semantic !== undefined,
      applicationId: SEARCH_APPLICATION_ID,
      migrations: SEARCH_MIGRATIONS,
    } as const;
    const database = await openDatabase(path, options).catch((error) => {
      if (!isDamage(error) && !isOtherProgram(error)) throw error;
      this.#report(error);
      remove(path);
      return openDatabase(path, options);
    });
    this.#inode = inodeOf(path);
    return this.#opened(database);
  }

  async #opened(database: DatabaseSync): Promise<IndexFile> {
    const file = new IndexFile(database);
    const { semantic } = this.#options;
    if (semantic !== undefined) {
      const { isLoaded } = await loadVectorFunctions(database);
      this.#vectors = new MessageVectors(file, new VectorTable(database, VECTORS, isLoaded), semantic);
    }
    return file;
  }

  /** Another process has replaced the file. */
  async #leave(): Promise<void> {
    await this.#opening?.then(({ database }) => database.close()).catch(() => {});
    this.#opening = undefined;
    this.#file = undefined;
  }

  /** It is derived, so nothing is lost with it. */
  async #replace(error: unknown): Promise<void> {
    this.#report(error);
    await this.#leave();
    if (this.#options.path !== null) remove(this.#options.path);
  }

  #report(error: unknown): void {
    const { path, onProblem } = this.#options;
    const { message } = asColloquyError(error, "Search failed");
    onProblem(
      unavailable(`The search index ${path ?? ""} cannot be used as it is: ${message}`, { cause: error }),
    );
  }

  #orEmpty<T>(read: () => T[]): T[] {
    try {
      return read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#report(error);
      return [];
    }
  }
}

/** The result, or false if it takes longer. */
async function within(work: Promise<boolean>, waitMs: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    const timeout = sleep(waitMs, false, { signal: timer.signal });
    timeout.catch(() => {});
    return await Promise.race([work, timeout]);
  } finally {
    timer.abort();
  }
}

function isOtherFeed(error: unknown): boolean {
  return error instanceof ColloquyError && error.code === "VALIDATION_ERROR" && error.field === "since";
}

function isOtherProgram(error: unknown): boolean {
  return error instanceof ColloquyError && ["VALIDATION_ERROR", "NOT_SUPPORTED"].includes(error.code);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}
