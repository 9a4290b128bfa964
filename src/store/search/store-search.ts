/** The search of one store: opens its index when it is first needed. */
import { join } from "node:path";
import { type BuildProgress, SearchIndex, type SemanticModel } from "../../search/index.ts";
import { type Searching, type SearchListing, searchAll, searchPage } from "./search.ts";
import type { SearchOptions } from "./search-query.ts";
import { type SearchAccess, searchSource } from "./source.ts";

/** Where the search index of a store is; `null` for one that is kept in memory. */
export function searchPath(engine: string, location: string | null): string | null {
  if (location === null) return null;
  return engine === "jsonl" ? join(location, "search.db") : `${location}-search`;
}

export class StoreSearch {
  readonly #searching: Searching;

  /** `path` is the file of the index, or `null`. */
  constructor(store: SearchAccess, path: string | null, semantic: SemanticModel | undefined) {
    const source = searchSource(store);
    const index = new SearchIndex({ source, path, semantic, onProblem: (problem) => store.problem(problem) });
    this.#searching = { store, source, index, isSemantic: semantic !== undefined };
  }

  search(text: string, options: SearchOptions): SearchListing {
    const first = searchPage(this.#searching, text, options);
    // An iteration that does not need this page must not be ended by its failure.
    first.catch(() => {});
    const readAll = () => searchAll(this.#searching, text, options, first);
    return Object.assign(first, { [Symbol.asyncIterator]: readAll });
  }

  async rebuild(onProgress?: (progress: BuildProgress) => void): Promise<void> {
    const { store, index } = this.#searching;
    // Fails if the store is closed.
    await store.ask(() => undefined);
    await index.rebuild(onProgress);
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
    const { index } = this.#searching;
    // At once: of two calls that exclude each other, the first one counts.
    if (!index.exists) return work();
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

  close(): Promise<void> {
    return this.#searching.index.close();
  }
}
