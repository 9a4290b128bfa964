import { REMOVED_KIND } from "../../../message/entry.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { LogReader } from "../../../transcript/log-reader.ts";
import { checkPlace, otherFeed } from "../../feed-rules.ts";
import type { Change, FeedPlace } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import type { Feed } from "./feed.ts";
import { type FeedRecord, lastOf } from "./feed-record.ts";

const RECORDS_AT_ONCE = 256;
const ENTRIES_AT_ONCE = 256;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** A place combines the feed and the entry within a record in one number. */
const OFFSET_MAX = 2 ** 24;

/**
 * The changes after a place. `settle` decides records that a dead writer left
 * open. It returns false during a write, whose changes the next call returns.
 */
export function readChanges(
  context: JsonlContext,
  after: FeedPlace | null,
  limit: number,
  settle: () => boolean,
): { changes: Change[]; place: FeedPlace } {
  const { feed } = context;
  feed.writeDecided();
  const state = feed.look();
  if (state === undefined) return { changes: [], place: after ?? [0, 0] };
  const { id, count } = state;
  if (after === null) {
    const end = decidedEnd(feed, count);
    feed.sync(end);
    return { changes: [], place: [end, id * OFFSET_MAX] };
  }
  const [index, rest] = after;
  const feedId = Math.floor(rest / OFFSET_MAX);
  // Stores without a feed gave out the start of the feed as every place.
  if (feedId !== id && !(feedId === 0 && index === 0)) throw otherFeed();
  checkPlace(index, count);
  using source = new EntrySource(context);
  return new Reading(context, source, id, count, limit, settle).from(index, rest % OFFSET_MAX);
}

/** The place after the last decided change. */
function decidedEnd(feed: Feed, count: number): number {
  const first = feed.lastCommit(count);
  const open = feed.records(first, count - first).findIndex(({ type }) => type === "intent");
  return open === -1 ? count : first + open;
}

class Reading {
  readonly #context: JsonlContext;
  readonly #source: EntrySource;
  readonly #id: number;
  readonly #count: number;
  readonly #limit: number;
  readonly #settle: () => boolean;
  readonly #changes: Change[] = [];

  constructor(
    context: JsonlContext,
    source: EntrySource,
    id: number,
    count: number,
    limit: number,
    settle: () => boolean,
  ) {
    this.#context = context;
    this.#source = source;
    this.#id = id;
    this.#count = count;
    this.#limit = limit;
    this.#settle = settle;
  }

  from(start: number, within: number): { changes: Change[]; place: FeedPlace } {
    let index = start;
    let offset = within;
    while (index < this.#count && this.#changes.length < this.#limit) {
      const records = this.#decided(index);
      if (records.length === 0) break;
      for (const record of records) {
        offset = this.#tell(record, index, offset);
        if (offset > 0) break;
        index++;
        if (this.#changes.length >= this.#limit) break;
      }
    }
    return { changes: this.#changes, place: this.#place(index, offset) };
  }

  /** The next durable records, up to the first that is undecided. */
  #decided(index: number): FeedRecord[] {
    const { feed } = this.#context;
    const next = (): FeedRecord[] => {
      const records = feed.records(index, Math.min(RECORDS_AT_ONCE, this.#count - index));
      const open = records.findIndex(({ type }) => type === "intent");
      return open === -1 ? records : records.slice(0, open);
    };
    let records = next();
    if (records.length === 0 && this.#settle()) records = next();
    if (records.length > 0) feed.sync(index + records.length);
    return records;
  }

  /** Returns how far into the record the page reaches; 0 if nothing of it is left. */
  #tell(record: FeedRecord, index: number, offset: number): number {
    const { type, stem, conversation, first } = record;
    if (type === "void" || type === "base" || type === "intent") return 0;
    if (type !== "entries") {
      this.#changes.push({ place: this.#place(index + 1, 0), type, conversation });
      return 0;
    }
    const known = this.#source.conversation(stem);
    if (known === undefined) return 0;
    const last = lastOf(record);
    for (let seq = first + offset; seq <= last; seq++) {
      if (this.#changes.length >= this.#limit) return seq - first;
      const entry = this.#source.entry(known, seq);
      // Swept entries are gone.
      if (entry === undefined || entry.kind === REMOVED_KIND) continue;
      const place = seq === last ? this.#place(index + 1, 0) : this.#place(index, seq - first + 1);
      this.#changes.push({ place, type: "entry", conversation: known.metadata.id, entry });
    }
    return 0;
  }

  #place(index: number, offset: number): FeedPlace {
    return [index, this.#id * OFFSET_MAX + offset];
  }
}

interface OpenSource {
  readonly known: CatalogueEntry;
  readonly reader: LogReader;
  entries: Map<number, StoredEntry>;
  from: number;
  to: number;
}

/** Reads entries by `seq` in runs, because a feed usually continues where it was. */
class EntrySource {
  readonly #context: JsonlContext;
  readonly #open = new Map<string, OpenSource | undefined>();

  constructor(context: JsonlContext) {
    this.#context = context;
  }

  conversation(stem: string): CatalogueEntry | undefined {
    return this.#of(stem)?.known;
  }

  entry({ stem }: CatalogueEntry, seq: number): StoredEntry | undefined {
    const open = this.#of(stem);
    if (open === undefined) return undefined;
    if (seq < open.from || seq > open.to) {
      const limits = { limit: ENTRIES_AT_ONCE, bytesMax: BYTES_AT_ONCE };
      const { entries, more } = open.reader.page({ direction: "forward", from: seq - 1, ...limits });
      open.entries = new Map(entries.map((entry) => [entry.seq, entry]));
      open.from = seq;
      open.to = more ? (entries.at(-1)?.seq ?? seq) : Number.MAX_SAFE_INTEGER;
    }
    return open.entries.get(seq);
  }

  #of(stem: string): OpenSource | undefined {
    if (!this.#open.has(stem)) this.#open.set(stem, this.#look(stem));
    return this.#open.get(stem);
  }

  #look(stem: string): OpenSource | undefined {
    const { catalogue, io } = this.#context;
    let known = catalogue.byStem(stem);
    // Another process may be moving the log, so look twice before calling it missing.
    if (known?.logMissing) known = catalogue.reread(stem);
    while (known !== undefined && !known.logMissing) {
      const { logPath, log, seenLog } = known;
      try {
        const reader = new LogReader(io, logPath, undefined, seenLog && { ...log, inode: seenLog.inode });
        return { known, reader, entries: new Map(), from: 1, to: 0 };
      } catch (error) {
        // Another process may have moved it since.
        const moved = catalogue.reread(stem);
        if (moved === undefined || moved.logPath === logPath) throw error;
        known = moved;
      }
    }
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const open of this.#open.values()) open?.reader.close();
  }
}
