/** The search of one store. Most processes never search, so its code is loaded when it is first needed. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BuildProgress, SemanticModel } from "../../search/index.ts";
import type { SearchHit } from "./hits.ts";
import type { Searching, SearchListing, SearchPage } from "./search.ts";
import type { SearchOptions } from "./search-query.ts";
import type { SearchAccess } from "./source.ts";

/** Where the search index of a store is; `null` for one that is kept in memory. */
export function searchPath(engine: string, location: string | null): string | null {
  if (location === null) return null;
  return engine === "jsonl" ? join(location, "search.db") : `${location}-search`;
}

type SearchModule = typeof import("./search.ts");

interface Loaded extends Pick<SearchModule, "searchPage" | "searchAll"> {
  readonly searching: Searching;
}

export class StoreSearch {
  readonly #store: SearchAccess;
  readonly #path: string | null;
  readonly #semantic: SemanticModel | undefined;
  #loading: Promise<Loaded> | undefined;
  #loaded: Loaded | undefined;

  /** `path` is the file of the index, or `null`. */
  constructor(store: SearchAccess, path: string | null, semantic: SemanticModel | undefined) {
    this.#store = store;
    this.#path = path;
    this.#semantic = semantic;
  }

  search(text: string, options: SearchOptions): SearchListing {
    const first = this.#page(text, options);
    // An iteration that does not need this page must not be ended by its failure.
    first.catch(() => {});
    const readAll = () => this.#all(text, options, first);
    return Object.assign(first, { [Symbol.asyncIterator]: readAll });
  }

  async #page(text: string, options: SearchOptions): Promise<SearchPage> {
    const { searchPage, searching } = await this.#load();
    return searchPage(searching, text, options);
  }

  async *#all(
    text: string,
    options: SearchOptions,
    first: Promise<SearchPage>,
  ): AsyncGenerator<SearchHit, void, undefined> {
    const { searchAll, searching } = await this.#load();
    yield* searchAll(searching, text, options, first);
  }

  async rebuild(onProgress?: (progress: BuildProgress) => void): Promise<void> {
    const { searching } = await this.#load();
    // Fails if the store is closed.
    await this.#store.ask(() => undefined);
    await searching.index.rebuild(onProgress);
  }

  /**
   * Erase words from the index, then from the store by `work`: the other way round, a kill in between would leave
   * them in the index. Of an entry, or of a whole conversation. Adds the files that may still hold some to `copies`.
   */
  async erasing<T extends { readonly copies: readonly string[] }>(
    conversation: string,
    seq: number | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    // At once: of two calls that exclude each other, the first one counts.
    if (!this.#hasIndex) return work();
    const { index } = (await this.#load()).searching;
    const erasure = await index.forget(conversation, seq);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await index.settle(erasure, false);
      throw error;
    }
    await index.settle(erasure, true);
    const { copies } = erasure;
    return copies.length === 0 ? result : { ...result, copies: [...result.copies, ...copies] };
  }

  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => undefined);
    await loaded?.searching.index.close();
  }

  get #hasIndex(): boolean {
    if (this.#loaded !== undefined) return this.#loaded.searching.index.exists;
    return this.#loading !== undefined || (this.#path !== null && existsSync(this.#path));
  }

  #load(): Promise<Loaded> {
    this.#loading ??= import("./search.ts").then(({ openSearching, searchPage, searchAll }) => {
      const searching = openSearching(this.#store, this.#path, this.#semantic);
      this.#loaded = { searching, searchPage, searchAll };
      return this.#loaded;
    });
    return this.#loading;
  }
}
