import type { FeedPlace } from "../../queries.ts";

/** Where to continue in a feed. */
export interface Position {
  readonly index: number;
  /** The number of entries of the record at `index` that were read. */
  readonly offset: number;
  /** The checksum of the last record that was read, at least in part: another one there means another feed. */
  readonly sum: number;
}

/** A place is two safe integers: the index and 20 bits of the checksum, the feed and the offset. */
const INDEX_MAX = 2 ** 32;
const OFFSET_MAX = 2 ** 24;
const SUM_MAX = 2 ** 20;

export function encodePlace(id: number, { index, offset, sum }: Position): FeedPlace {
  return [(sum % SUM_MAX) * INDEX_MAX + index, id * OFFSET_MAX + offset];
}

export function decodePlace([first, second]: FeedPlace): Position & { readonly id: number } {
  return {
    index: first % INDEX_MAX,
    sum: Math.floor(first / INDEX_MAX),
    id: Math.floor(second / OFFSET_MAX),
    offset: second % OFFSET_MAX,
  };
}

/** Whether a record has this part of its checksum in a place. */
export function hasSum({ sum }: Position, whole: number | undefined): boolean {
  return whole !== undefined && whole % SUM_MAX === sum;
}

/** The place in a store that has no feed yet. */
export function isBeforeFeed([first, second]: FeedPlace): boolean {
  return first === 0 && second === 0;
}
