import { toEntry } from "../../message/entry.ts";
import type { Entry, StoredEntry } from "../../message/types.ts";
import type { StoreAccess } from "../access.ts";
import { inlineBlobs } from "../blobs/blob-parts.ts";

/** Entries as their readers see them: large parts in place, data typed. */
export async function readEntries(store: StoreAccess, stored: readonly StoredEntry[]): Promise<Entry[]> {
  const whole = stored.some(({ blobs }) => blobs !== undefined) ? await inlineBlobs(store, stored) : stored;
  return whole.map(toEntry);
}
