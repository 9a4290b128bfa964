import { ColloquyError, unavailable } from "../../src/errors.ts";
import type { Store } from "../../src/store/index.ts";
import type { EntryRefs } from "./load-store.ts";
import type { Ranking } from "./ranking.ts";

export const MODES = ["keyword", "semantic", "hybrid"] as const;
export type Mode = (typeof MODES)[number];

interface Found {
  /** Whether the index had everything that the store has. */
  readonly indexed: boolean;
  /** A hit without an entry is on the title. */
  readonly hits: readonly { readonly conversation: string; readonly entry: string | null }[];
}
type Search = (text: string, options: { readonly mode: Mode; readonly limit: number }) => Promise<Found>;

/** Each attempt waits up to two seconds for the index. */
const ATTEMPTS_MAX = 150;

/** The search of a store in one mode; `undefined` if the store has none. */
export async function storeRanking(store: Store, refs: EntryRefs, mode: Mode): Promise<Ranking | undefined> {
  if (!("search" in store) || typeof store.search !== "function") return undefined;
  const search = store.search.bind(store) as Search;
  await catchUp(search, mode);
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

/** Search until the index has everything: the figures of half an index would mean nothing. */
async function catchUp(search: Search, mode: Mode): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const { indexed } = await search("catch up", { mode, limit: 1 });
    if (indexed) return;
  }
  throw unavailable("The index did not catch up with the store; try again when the machine is less busy");
}
