/** Which places of the feed an engine accepts. */
import { type ColloquyError, invalid } from "../errors.ts";

/**
 * Check the number of a place against the last one of the feed. A larger number
 * is from a feed that went on elsewhere, such as that of a store which was
 * replaced by an earlier copy of itself: its reader would miss changes.
 */
export function checkPlace(number: number, last: number): void {
  if (!Number.isSafeInteger(number) || number < 0 || number > last) throw otherFeed();
}

export function otherFeed(): ColloquyError {
  return invalid(
    "This position belongs to another feed: the store was restored from a copy, its feed was damaged, or it is a different store. " +
      "Read the store again and follow it from now on",
    "since",
  );
}
