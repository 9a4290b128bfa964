import { ColloquyError } from "../../src/errors.ts";
import type { Store } from "../../src/store/index.ts";
import type { EntryRefs } from "./load-store.ts";
import type { Ranking } from "./ranking.ts";

export const MODES = ["keyword", "semantic", "hybrid"] as const;
export type Mode = (typeof MODES)[number];

interface Found {
  readonly hits: readonly { readonly conversation: string; readonly entry: string }[];
}
type Search = (text: string, options: { readonly mode: Mode; readonly limit: number }) => Promise<Found>;

/** The search of a store in one mode; `undefined` if the store has none. */
export function storeRanking(store: Store, refs: EntryRefs, mode: Mode): Ranking | undefined {
  if (!("search" in store) || typeof store.search !== "function") return undefined;
  const search = store.search.bind(store) as Search;
  return {
    name: mode,
    search: async (text, limit) => {
      const { hits } = await search(text, { mode, limit });
      return hits.map(({ conversation, entry }) => {
        const ref = refs(conversation, entry);
        if (ref !== undefined) return ref;
        throw new ColloquyError("INTERNAL_ERROR", `A hit names an entry that was not stored: ${entry}`);
      });
    },
  };
}
