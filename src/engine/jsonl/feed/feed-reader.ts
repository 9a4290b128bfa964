import { unavailable } from "../../../errors.ts";
import { REMOVED_KIND } from "../../../message/entry.ts";
import { checkPlace, otherFeed } from "../../feed-rules.ts";
import type { Change, FeedPlace } from "../../queries.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import { EntrySource } from "./entry-source.ts";
import type { Feed } from "./feed.ts";
import { decodePlace, encodePlace, hasSum, isBeforeFeed, type Position } from "./feed-place.ts";
import { type FeedRecord, lastOf } from "./feed-record.ts";

const RECORDS_AT_ONCE = 256;

interface Page {
  readonly changes: Change[];
  readonly place: FeedPlace;
  /** The record that ends the page because it is open or unreadable. */
  readonly blocked?: number | undefined;
}

/**
 * The changes after a place. `clearWay` settles the record at an index, which a
 * dead writer left open or which is damaged. It returns false during a write,
 * whose changes the next call returns.
 */
export function readChanges(
  context: JsonlContext,
  after: FeedPlace | null,
  limit: number,
  clearWay: (index: number) => boolean,
): Page {
  const page = readPage(context, after, limit);
  if (page.blocked === undefined) return page;
  // Changes before damage are returned before the damage is dealt with.
  if (page.changes.length > 0 && context.feed.record(page.blocked) === undefined) return page;
  if (clearWay(page.blocked)) return readPage(context, after, limit);
  if (context.feed.isReadonly) refuseDamage(context.feed, page.blocked);
  return page;
}

function readPage(context: JsonlContext, after: FeedPlace | null, limit: number): Page {
  const { feed } = context;
  feed.writeDecided();
  const state = feed.look();
  if (state === undefined || feed.hasShrunk || state.count < state.durable) {
    const isNew = state === undefined && !feed.exists() && (after === null || isBeforeFeed(after));
    return { changes: [], place: after ?? [0, 0], blocked: isNew ? undefined : 0 };
  }
  const { id, count } = state;
  if (after === null) return endOf(feed, id, count);
  return new Reading(context, id, count, limit).from(startOf(feed, after, id, count));
}

/** The place after the last decided change. */
function endOf(feed: Feed, id: number, count: number): Page {
  const index = feed.decidedCount();
  const last = index === 0 ? undefined : feed.record(index - 1);
  const blocked = index > 0 && last === undefined ? index - 1 : index;
  if (blocked < count && feed.record(blocked) === undefined) return { changes: [], place: [0, 0], blocked };
  feed.sync(index);
  return { changes: [], place: encodePlace(id, { index, offset: 0, sum: last?.sum ?? 0 }) };
}

function startOf(feed: Feed, after: FeedPlace, id: number, count: number): Position {
  // A read-only store without a feed returned the start of the feed as every place.
  if (isBeforeFeed(after)) return { index: 0, offset: 0, sum: 0 };
  const position = decodePlace(after);
  const { index, offset } = position;
  if (position.id !== id) throw otherFeed();
  checkPlace(index, count);
  const last = offset > 0 ? index : index - 1;
  if (last >= 0 && !hasSum(position, feed.record(last)?.sum)) throw otherFeed();
  return position;
}

function refuseDamage(feed: Feed, index: number): void {
  const isGone = !feed.exists();
  const state = feed.look();
  if (isGone || (state !== undefined && feed.hasShrunk)) {
    feed.close();
    throw otherFeed();
  }
  if (state !== undefined && state.count >= state.durable && feed.record(index) !== undefined) return;
  throw unavailable(
    `${feed.path} is damaged at record ${index}. Open the store for writing, or run colloquy validate --repair`,
  );
}

class Reading {
  readonly #context: JsonlContext;
  readonly #feed: Feed;
  readonly #id: number;
  readonly #count: number;
  readonly #limit: number;
  readonly #changes: Change[] = [];

  constructor(context: JsonlContext, id: number, count: number, limit: number) {
    this.#context = context;
    this.#feed = context.feed;
    this.#id = id;
    this.#count = count;
    this.#limit = limit;
  }

  from(start: Position): Page {
    let { index, offset, sum } = start;
    let blocked: number | undefined;
    while (index < this.#count && this.#changes.length < this.#limit) {
      const records = this.#decided(index);
      if (records.length === 0) {
        blocked = index;
        break;
      }
      // After the records: another process may decide more of them at any time, and a log that was opened before would
      // lack their entries.
      using source = new EntrySource(this.#context);
      for (const record of records) {
        offset = this.#tell(source, record, index, offset);
        ({ sum } = record);
        if (offset > 0) break;
        index++;
        if (this.#changes.length >= this.#limit) break;
      }
    }
    return { changes: this.#changes, place: encodePlace(this.#id, { index, offset, sum }), blocked };
  }

  /** The next durable records, up to the first that is undecided. */
  #decided(index: number): FeedRecord[] {
    const found = this.#feed.records(index, Math.min(RECORDS_AT_ONCE, this.#count - index));
    const open = found.findIndex(({ type }) => type === "intent");
    const records = open === -1 ? found : found.slice(0, open);
    if (records.length > 0) this.#feed.sync(index + records.length);
    return records;
  }

  /** Returns how far into the record the page reaches; 0 if nothing of it is left. */
  #tell(source: EntrySource, record: FeedRecord, index: number, offset: number): number {
    const { type, stem, conversation, first, sum } = record;
    if (type === "void" || type === "base" || type === "intent") return 0;
    const behind = encodePlace(this.#id, { index: index + 1, offset: 0, sum });
    if (type !== "entries") {
      this.#changes.push({ place: behind, type, conversation });
      return 0;
    }
    const known = source.conversation(stem);
    if (known === undefined) return 0;
    const last = lastOf(record);
    for (let seq = first + offset; seq <= last; seq++) {
      if (this.#changes.length >= this.#limit) return seq - first;
      const entry = source.entry(known, seq);
      // Swept entries are gone.
      if (entry === undefined || entry.kind === REMOVED_KIND) continue;
      const place = seq === last ? behind : encodePlace(this.#id, { index, offset: seq - first + 1, sum });
      this.#changes.push({ place, type: "entry", conversation: known.metadata.id, entry });
    }
    return 0;
  }
}
