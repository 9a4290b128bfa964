import { resolve } from "node:path";
import { invalid } from "../errors.ts";
import type { Conversation } from "../store/conversation.ts";
import type { JsonObject } from "../util/json.ts";
import { assertJson } from "../util/json.ts";
import { systemRandom, uuidv7 } from "../util/uuid.ts";
import { type EmbedAllOptions, type EmbedReport, embedAll } from "./backfill.ts";
import { chunkMarkdown } from "./chunk/markdown.ts";
import { withoutRecalled } from "./chunk/recalled.ts";
import { type Chunk, chunkOf, type SourceKind } from "./database/chunk.ts";
import type { MemoryFile } from "./database/memory-file.ts";
import type { EmbeddingChain } from "./embeddings/chain.ts";
import { spaceOf } from "./embeddings/provider.ts";
import { type ForgetReceipt, forget } from "./erase.ts";
import { Indexer, type IndexOptions, type IndexReport } from "./files/indexer.ts";
import {
  askedVector,
  type FoundChunk,
  type MemoryQuery,
  type SearchMode,
  searchChunks,
} from "./recall/searcher.ts";
import { conversationNote, type Summarize } from "./summarize.ts";
import { type MemoryWatch, type MemoryWatchOptions, watch } from "./watch.ts";

export interface NoteOptions {
  /** The name of the note. By default `note:` and an id. A note of the same name is replaced. */
  readonly source?: string;
  /** From 0 to 1; by default 0.5. */
  readonly importance?: number;
  /** Where it comes from: any JSON object. */
  readonly provenance?: JsonObject;
  readonly kind?: Exclude<SourceKind, "file">;
}

export interface FoundChunks {
  readonly chunks: readonly FoundChunk[];
  /** How it was searched. */
  readonly mode: SearchMode;
  /** Why only words were compared; said once. */
  readonly notice: string | null;
}

export interface MemorySource {
  readonly source: string;
  readonly kind: SourceKind;
  readonly chunks: number;
}

export interface MemoryStats {
  readonly chunks: number;
  /** Chunks without a vector of the primary provider; `null` without a provider. */
  readonly pending: number | null;
  /** The model of the primary provider. */
  readonly model: string | null;
  /** Whether vectors are searched with sqlite-vec, and if not, why. */
  readonly vectors: "sqlite-vec" | "javascript";
  readonly reason: string | null;
}

const TEXT_CHARS_MAX = 16 * 1024 * 1024;
const LIMIT_MAX = 1000;
const LIST_LIMIT = 50;
const SOURCES_MAX = 1000;
const NO_PROVIDER = "Memory is searched by words only: no embedding provider is configured";

/** Text that is kept to be found again, by its words and by its meaning. `openMemory` opens one. */
export class Memory {
  readonly #file: MemoryFile;
  readonly #chain: EmbeddingChain | undefined;
  readonly #nowMs: () => number;
  readonly #indexer: Indexer;
  readonly #isReadonly: boolean;
  readonly #said = new Set<string>();
  readonly #closing = new AbortController();
  #embedding: Promise<EmbedReport> | undefined;

  constructor(file: MemoryFile, chain: EmbeddingChain | undefined, nowMs: () => number, readonly: boolean) {
    this.#file = file;
    this.#chain = chain;
    this.#nowMs = nowMs;
    this.#isReadonly = readonly;
    this.#indexer = new Indexer(file, nowMs);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Keep a note. Passages that memory itself has returned are left out. */
  async add(text: string, options: NoteOptions = {}): Promise<readonly Chunk[]> {
    const { source, importance = 0.5, provenance, kind = "note" } = options;
    checkText(text);
    if (!(importance >= 0 && importance <= 1)) throw invalid("importance must be from 0 to 1", "importance");
    if (provenance !== undefined) assertJson(provenance, "provenance");
    const at = this.#nowMs();
    const name = source ?? `note:${uuidv7(at, systemRandom)}`;
    const pieces = chunkMarkdown(withoutRecalled(text));
    await this.#file.write(() => {
      const { chunks } = this.#file;
      if (chunks.filesBelow(name).length > 0)
        throw invalid(`${name} is the name of a file in memory`, "source");
      chunks.allow(pieces);
      chunks.replace({ name, kind, stamp: "", at, importance, provenance: provenance ?? null }, pieces);
      if (pieces.length === 0) chunks.removeSource(name);
    });
    this.#embedSoon();
    return this.#file.chunks.ofSource(name).map(chunkOf);
  }

  /** Keep a summary of a conversation. It replaces the one that memory has of it. */
  async addConversation(conversation: Conversation, summarize: Summarize): Promise<readonly Chunk[]> {
    const { text, source, provenance } = await conversationNote(conversation, summarize);
    return this.add(text, { source, provenance, kind: "conversation" });
  }

  /** Index Markdown files and folders. Files that have not changed are not read, and missing ones are removed. */
  async index(paths: readonly string[], options: IndexOptions = {}): Promise<IndexReport> {
    const report = await this.#indexer.index(paths, options);
    this.#embedSoon();
    return report;
  }

  /** Index files and folders whenever they change, until the watch is closed. */
  watch(paths: readonly string[], options: MemoryWatchOptions = {}): MemoryWatch {
    const { signal } = this.#closing;
    return watch(() => this.index(paths, { signal }), options);
  }

  /** The chunks that answer a question best, the best first. */
  async search(text: string, query: MemoryQuery = {}): Promise<FoundChunks> {
    if (typeof text !== "string") throw invalid("A question must be a string", "text");
    const { limit = 8, mode = this.#chain === undefined ? "keyword" : "hybrid" } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
      throw invalid(`limit must be an integer from 1 to ${LIMIT_MAX}`, "limit");
    }
    const source = query.source?.includes("/") ? resolve(query.source) : query.source;
    const filled = { ...query, mode, limit, ...(source === undefined ? {} : { source }) };
    let problem = this.#chain === undefined ? NO_PROVIDER : null;
    let asked: Awaited<ReturnType<typeof askedVector>>;
    if (this.#chain !== undefined && mode !== "keyword" && text.trim() !== "") {
      try {
        asked = await askedVector(this.#file, this.#chain, text, query.signal);
      } catch (error) {
        if (query.signal?.aborted || mode === "semantic") throw error;
        problem = `Memory is searched by words only: ${(error as Error).message}`;
      }
    } else if (mode === "semantic") throw invalid("mode semantic needs an embedding provider", "mode");
    this.#embedSoon();
    const chunks = this.#file.read(() => searchChunks(this.#file, text, asked, filled, this.#nowMs()));
    return { chunks, mode: asked === undefined ? "keyword" : mode, notice: this.#once(problem) };
  }

  /** All chunks, in the order in which they came, page by page. */
  list(query: { readonly source?: string; readonly limit?: number; readonly cursor?: string } = {}): {
    readonly items: readonly Chunk[];
    readonly cursor: string | null;
  } {
    const { source, limit = LIST_LIMIT, cursor = "0" } = query;
    if (!/^\d{1,15}$/.test(cursor)) throw invalid("This is not a cursor of memory", "cursor");
    const rows = this.#file.read(() => this.#file.chunks.page(Number(cursor), limit + 1, source));
    const shown = rows.slice(0, limit);
    return {
      items: shown.map(chunkOf),
      cursor: rows.length > limit ? String(shown.at(-1)?.id ?? "0") : null,
    };
  }

  /** What memory comes from, the largest first. */
  sources(limit: number = SOURCES_MAX): readonly MemorySource[] {
    return this.#file.read(() => this.#file.chunks.sources(limit));
  }

  /** Forget a chunk by its id, or a whole source by its name, and erase it from the file. */
  async forget(idOrSource: string): Promise<ForgetReceipt> {
    return forget(this.#file, idOrSource, this.#nowMs());
  }

  /** Embed what has no vector yet. This also happens by itself; only here its errors are reported. */
  async embed(options: EmbedAllOptions = {}): Promise<EmbedReport> {
    if (this.#chain === undefined) throw invalid("There is no embedding provider", "embeddings");
    await this.#embedding?.catch(() => undefined);
    return embedAll(this.#file, this.#chain, options);
  }

  stats(): MemoryStats {
    const { chunks, vectors, vectorFunctions } = this.#file;
    const primary = this.#chain?.primary;
    return this.#file.read(() => ({
      chunks: chunks.count(),
      pending:
        primary === undefined
          ? null
          : chunks.countWithoutVector(vectors.findSpace(spaceOf(primary))?.id ?? 0),
      model: primary?.model ?? null,
      vectors: vectorFunctions.isLoaded ? "sqlite-vec" : "javascript",
      reason: vectorFunctions.isLoaded ? null : vectorFunctions.reason,
    }));
  }

  /** Ends background work and closes the file. */
  async close(): Promise<void> {
    this.#closing.abort(new Error("The memory is closed"));
    await this.#embedding?.catch(() => undefined);
    this.#file.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** In the background. A failure is tried again with the next change or question, and search works without it. */
  #embedSoon(): void {
    if (this.#chain === undefined || this.#embedding !== undefined) return;
    if (this.#isReadonly || this.#closing.signal.aborted) return;
    const embedding = embedAll(this.#file, this.#chain, { signal: this.#closing.signal });
    this.#embedding = embedding;
    const ended = (): void => {
      this.#embedding = undefined;
    };
    embedding.then(ended, ended);
  }

  #once(problem: string | null): string | null {
    if (problem === null || this.#said.has(problem)) return null;
    this.#said.add(problem);
    return problem;
  }
}

function checkText(text: unknown): void {
  if (typeof text !== "string" || text.trim() === "") throw invalid("A note must have text", "text");
  if (text.length > TEXT_CHARS_MAX) {
    throw invalid(`A note must have at most ${TEXT_CHARS_MAX} characters`, "text");
  }
}
