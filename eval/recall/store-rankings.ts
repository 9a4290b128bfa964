import { ColloquyError, unavailable } from "../../src/errors.ts";
import type { SearchOptions, Store } from "../../src/store/index.ts";
import type { EntryRefs } from "./load-store.ts";
import type { Ranking } from "./ranking.ts";

export type Mode = NonNullable<SearchOptions["mode"]>;
export const MODES: readonly Mode[] = ["keyword", "semantic", "hybrid"];

/** Each attempt waits up to two seconds for the index. */
const ATTEMPTS_MAX = 150;

/** The search of a store in one mode, over a complete index: the figures of half an index would mean nothing. */
export async function storeRanking(store: Store, refs: EntryRefs, mode: Mode): Promise<Ranking> {
  await catchUp(store, mode);
  return {
    name: mode,
    search: async (text, limit) => {
      const { hits } = await store.search(text, { mode, limit });
      return hits.map(({ conversation, entry }) => {
        const ref = refs(conversation, entry);
        if (ref !== undefined) return ref;
        throw new ColloquyError("INTERNAL_ERROR", `A hit names an entry that was not stored: ${entry}`);
      });
    },
  };
}

async function catchUp(store: Store, mode: Mode): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { indexed } = await store.search("catch up", { mode, limit: 1 });
    if (indexed) return;
  }
  throw unavailable("The index did not catch up with the store; try again when the machine is less busy");
}
