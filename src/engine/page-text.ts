/** Pages as JSON text. */
import { toEntry } from "../message/entry.ts";
import { checkObject, checkObjects } from "../util/checked-arguments.ts";
import type { EntryPage, PageText } from "./queries.ts";

/** `pageText` of an engine that has its entries parsed. */
export function textOfPage(page: EntryPage): PageText {
  checkObject(page, "page");
  const { entries, more, branch } = page;
  checkObjects(entries, "entries");
  const [first, last] = [entries[0], entries.at(-1)];
  return {
    json: JSON.stringify(entries.map(toEntry)),
    ends: first === undefined || last === undefined ? null : [first.seq, last.seq],
    more,
    branch,
    hasBlobs: entries.some(({ blobs }) => blobs !== undefined),
  };
}
