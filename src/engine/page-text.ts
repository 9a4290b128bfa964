/** Pages as JSON text. */
import { toEntry } from "../message/entry.ts";
import type { EntryPage, PageText } from "./queries.ts";

/** `pageText` of an engine that has its entries parsed. */
export function textOfPage({ entries, more, branch }: EntryPage): PageText {
  const [first, last] = [entries[0], entries.at(-1)];
  return {
    json: JSON.stringify(entries.map(toEntry)),
    ends: first === undefined || last === undefined ? null : [first.seq, last.seq],
    ...{ more, branch },
    hasBlobs: entries.some(({ blobs }) => blobs !== undefined),
  };
}
