/** The search index of a store: in a file beside it, or in memory, and derived from its change feed. */
import { setTimeout as sleep } from "node:timers/promises";
import { asColloquyError, ColloquyError, unavailable } from "../errors.ts";
import { sqliteError } from "../sqlite/busy.ts";
import { emptyLog } from "../sqlite/empty-log.ts";
import { loadVectorFunctions } from "../sqlite/vectors/extension.ts";
import { VectorTable } from "../sqlite/vectors/vector-table.ts";
import { ENGLISH } from "../text/languages.ts";
import type { Query } from "../text/query.ts";
import { findCandidates, type Scope, vectorCondition } from "./candidates.ts";
import { type BuildProgress, catchUp } from "./catch-up.ts";
import { forgetConversation, forgetEntry, forgetKey } from "./forget.ts";
import { guardedSource, SourceError } from "./guarded-source.ts";
import { type DocumentRow, type IndexedConversation, type IndexFile, KEY_SEQ } from "./index-file.ts";
import { IndexPlace, isBroken, isLocked, isUnwritable } from "./index-place.ts";
import { MessageVectors, type SemanticModel } from "./message-vectors.ts";
import { type RankedMessage, rankMessages } from "./rank.ts";
import { VECTORS } from "./schema.ts";
import type { SearchSource } from "./source.ts";

export interface SearchIndexOptions {
  readonly source: SearchSource;
  /** The file, or `null` for an index in memory. */
  readonly path: string | null;
  /** Also search by meaning, with vectors of this model. */
  readonly semantic?: SemanticModel | undefined;
  /** Receives what is wrong with the file. The index is then built again, or is used as far as it is complete. */
  readonly onProblem: (problem: ColloquyError) => void;
  readonly nowMs?: () => number;
}

/** An erasure that has begun. */
export interface Erasure {
  /** The files that may still hold some of the words. */
  readonly copies: readonly string[];
  /** `undefined` if there is nothing to settle. */
  readonly n: number | undefined;
  readonly file: IndexFile | undefined;
}

const NOTHING_ERASED: Erasure = { copies: [], n: undefined, file: undefined };
/** A new index is whole. If it is damaged again, the disk is not well. */
const REPLACEMENTS_MAX = 3;
const CLOSEST_MAX = 200;
/** Languages with a smaller part of the documents are not searched by their rules. */
const LANGUAGE_PART_MIN = 0.002;

export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #source: SearchSource;
  readonly #place: IndexPlace;
  readonly #nowMs: () => number;
  #running: Promise<boolean> | undefined;
  #embedding: Promise<boolean> | undefined;
  #vectors: { readonly file: IndexFile; readonly of: MessageVectors } | undefined;
  readonly #closing = new AbortController();
  /** Reading failed, so that hits may be missing. */
  #failure: { readonly file: IndexFile; readonly error: unknown } | undefined;
  /** Erased words are still in the write-ahead log. */
  #isLogFull = false;
  #reported: string | undefined;
  #hasProblem = false;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#source = guardedSource(options.source);
    const canExtend = options.semantic !== undefined;
    this.#place = new IndexPlace(options.path, canExtend, (error) => this.#report(error));
    this.#nowMs = options.nowMs ?? Date.now;
  }

  /**
   * Index what is new, for at most `waitMs`. Returns whether the index is complete; if not, work continues in the
   * background until the index is closed.
   */
  async update(waitMs: number): Promise<boolean> {
    this.#running ??= this.#update().finally(() => {
      this.#running = undefined;
    });
    return within(this.#running, waitMs);
  }

  /** The same for the vectors of messages. A failure of the model is thrown. */
  async updateVectors(waitMs: number): Promise<boolean> {
    const vectors = await this.#openVectors();
    if (vectors === undefined) return false;
    this.#embedding ??= vectors.embedPending(this.#options.source, this.#closing.signal).finally(() => {
      this.#embedding = undefined;
    });
    // It may fail after the wait is over.
    this.#embedding.catch(() => {});
    return within(this.#embedding, waitMs);
  }

  /** Those of the index that is open. */
  async #openVectors(): Promise<MessageVectors | undefined> {
    const { semantic } = this.#options;
    const { file } = this.#place;
    if (semantic === undefined || file === undefined) return undefined;
    if (this.#vectors?.file !== file) {
      const { isLoaded } = await loadVectorFunctions(file.database);
      const table = new VectorTable(file.database, VECTORS, isLoaded);
      this.#vectors = { file, of: new MessageVectors(file, table, semantic) };
    }
    return this.#vectors.of;
  }

  /** Build it again from the beginning; if that was stopped, from there on. Fails if the file cannot be written. */
  async rebuild(onProgress?: (progress: BuildProgress) => void): Promise<void> {
    try {
      await this.#rebuild(onProgress);
    } catch (error) {
      // Closed at any point, it ends as it does between two batches.
      if (!this.#closing.signal.aborted) throw sqliteError(error, this.#options.path ?? "The search index");
    }
  }

  async #rebuild(onProgress: ((progress: BuildProgress) => void) | undefined): Promise<void> {
    const file = await this.#place.open();
    if (this.#place.refusal !== undefined) throw this.#place.refusal;
    try {
      if (file.place !== undefined) await file.transaction(() => file.clear());
    } catch (error) {
      if (!isBroken(error)) throw error;
      await this.#place.leave(file, error);
    }
    await this.#catchUp(onProgress);
  }

  /** Whether a search since the last call met damage. The next update repairs it. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** The languages of the texts in the index, as places in `LANGUAGES`. */
  get languages(): number[] {
    const counts = Object.entries(this.#read((file) => file.languages, {}));
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const used = counts
      .filter(([, count]) => count >= total * LANGUAGE_PART_MIN)
      .map(([name]) => Number(name));
    return [...new Set([ENGLISH, ...used])];
  }

  /** Messages that have terms of the query, or whose neighbours have, from the best to the worst. */
  rank(query: Query, scope: Scope, accepts: (row: DocumentRow) => boolean): RankedMessage[] {
    return this.#read((file) => rankMessages(file, findCandidates(file, query, scope), accepts), []);
  }

  /** The messages that are closest to a text in meaning, best first. */
  async closest(
    text: string,
    scope: Scope,
    accepts: (row: DocumentRow) => boolean,
  ): Promise<RankedMessage[]> {
    const vectors = await this.#openVectors();
    const where = this.#read((file) => vectorCondition(file, scope), undefined);
    if (vectors === undefined || where === undefined) return [];
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

  conversationByNumber(n: number): IndexedConversation | undefined {
    return this.#read((file) => file.conversationByNumber(n), undefined);
  }

  /** The numbers of conversations that a filter accepts. */
  conversationsWhere(accepts: (conversation: IndexedConversation) => boolean): number[] {
    const all = this.#read((file) => file.conversations(), []);
    return all.filter(accepts).map(({ n }) => n);
  }

  /** The documents of a message, or the title at position 0. */
  documentsAt({ conversation, position }: RankedMessage): DocumentRow[] {
    return this.#read((file) => file.documentsAt(conversation, position), []);
  }

  #read<T>(read: (file: IndexFile) => T, otherwise: T): T {
    const { file } = this.#place;
    if (file === undefined) return otherwise;
    try {
      return read(file);
    } catch (error) {
      this.#failure ??= { file, error };
      return otherwise;
    }
  }

  /** Whether there is an index that may have words to remove. */
  get exists(): boolean {
    return this.#place.exists;
  }

  /** Remove the words of a conversation, or of the entry `seq`, before the store erases them. */
  async forget(conversation: string, seq?: number): Promise<Erasure> {
    if (!this.exists) return NOTHING_ERASED;
    const { path } = this.#options;
    let file: IndexFile | undefined;
    let n: number | undefined;
    try {
      const opened = await this.#place.open();
      file = opened;
      n = await file.transaction(() => opened.erasures.begin(conversation, seq, this.#nowMs()));
      if (seq === KEY_SEQ) await forgetKey(file, conversation);
      else if (seq === undefined) await forgetConversation(file, this.#source, conversation);
      else await forgetEntry(file, this.#source, conversation, seq);
      const { unusedFile } = this.#place;
      if (unusedFile !== undefined) return { file, n, copies: [unusedFile] };
      this.#isLogFull = path !== null && !emptyLog(file.database);
      return { file, n, copies: this.#isLogFull ? [`${path}-wal`] : [] };
    } catch (error) {
      this.#report(error);
      if (n !== undefined) await this.settle({ file, n, copies: [] }, false);
      return { file, n: undefined, copies: path === null ? [] : [path] };
    }
  }

  /** The store has erased what `forget` removed, or it has not. */
  async settle({ file, n }: Erasure, isErased: boolean): Promise<void> {
    if (file === undefined || n === undefined) return;
    try {
      await file.transaction(() => {
        if (!isErased) file.erasures.abandon(n);
        // Others took it for killed, and have added words again that cannot be known any more.
        else if (!file.erasures.settle(n, this.#nowMs())) file.clear();
      });
    } catch (error) {
      this.#report(error);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([this.#running, this.#embedding]);
    await this.#place.close();
  }

  /** Does not fail: what cannot be indexed now is indexed by a later update. */
  async #update(): Promise<boolean> {
    this.#hasProblem = false;
    try {
      const isComplete = await this.#catchUp();
      if (!this.#hasProblem) this.#reported = undefined;
      return isComplete;
    } catch (error) {
      // It is used as far as it is complete.
      if (!this.#closing.signal.aborted) this.#report(error);
      return false;
    }
  }

  async #catchUp(onProgress?: (progress: BuildProgress) => void): Promise<boolean> {
    const options = { isStopped: () => this.#closing.signal.aborted, nowMs: this.#nowMs, onProgress };
    for (let replaced = 0; ; ) {
      if (this.#closing.signal.aborted) return false;
      const file = await this.#place.open();
      try {
        this.#checkReading(file);
        const isComplete = await catchUp(file, this.#source, options);
        if (this.#isLogFull) this.#isLogFull = !emptyLog(file.database);
        return isComplete;
      } catch (error) {
        const cause = error instanceof SourceError ? error.cause : error;
        const isReplaced = isOtherFeed(cause);
        const isUseless = cause === error && !isLocked(error) && (isBroken(error) || isUnwritable(error));
        if (!(isReplaced || isUseless) || ++replaced > REPLACEMENTS_MAX) throw cause;
        if (isReplaced) await file.transaction(() => file.clear());
        else await this.#place.leave(file, error);
      }
    }
  }

  /** Damage that only a search has met. */
  #checkReading(file: IndexFile): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined || failure.file !== file) return;
    if (isBroken(failure.error)) throw failure.error;
    this.#report(failure.error);
  }

  /** The same problem is reported once, until it is gone. */
  #report(error: unknown): void {
    const { path, onProblem } = this.#options;
    const { message } = asColloquyError(error, "Search failed");
    this.#hasProblem = true;
    if (message === this.#reported) return;
    this.#reported = message;
    onProblem(
      unavailable(`The search index ${path ?? ""} cannot be used as it is: ${message}`, { cause: error }),
    );
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

/** The store was replaced by a copy. */
function isOtherFeed(error: unknown): boolean {
  return error instanceof ColloquyError && error.code === "VALIDATION_ERROR" && error.field === "since";
}
