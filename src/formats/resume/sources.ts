import { ColloquyError } from "../../errors.ts";
import type { Store } from "../../store/store.ts";
import { type OriginalSource, originalSources } from "../export/original/original.ts";

/** The originals of a part of a session. A sub-agent may have been imported without them. */
export async function sourcesOf(
  store: Store,
  id: string,
  beside: readonly string[] = [],
): Promise<OriginalSource[]> {
  try {
    return await originalSources(store, id, beside);
  } catch (error) {
    if (error instanceof ColloquyError && error.code === "NOT_FOUND") return [];
    throw error;
  }
}
