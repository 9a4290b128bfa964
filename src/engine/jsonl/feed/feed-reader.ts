import { invalid } from "../../../errors.ts";
import type { StoredEntry } from "../../../message/types.ts";
import { LogReader } from "../../../transcript/log-reader.ts";
import type { Change, FeedPlace } from "../../queries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import type { Feed } from "./feed.ts";
import { type FeedRecord, lastOf } from "./feed-record.ts";

const RECORDS_AT_ONCE = 256;
const ENTRIES_AT_ONCE = 256;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
/** A place holds the feed and the entry within a record in one number. */
const OFFSET_MAX = 2 ** 24;

/**
 * The changes after a place. `settle` decides what a dead writer left open,
 * and says false when somebody is writing: then the end is told the next time.
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
  // Before there was a feed, all places were its beginning.
  if (index > count || (feedId !== id && !(feedId === 0 && index === 0))) {
    throw invalid("This place is of another feed: the store was restored, or its feed removed", "since");
  }
  using source = new EntrySource(context);
  return new Reading(context, source, id, count, limit, settle).from(index, rest % OFFSET_MAX);
}

/** Behind the last change that is decided. */
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

  /** The next records, durable, up to the first that is not decided and cannot be. */
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

  /** Gives how far within the record the page reaches; 0 when nothing is left of it. */
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
      // What was swept is gone.
      if (entry === undefined || entry.kind === "removed") continue;
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

/** Entries by their `seq`, read in stretches, because a feed mostly goes on where it was. */
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
    // Another process may be moving it: what is really missing is missing twice.
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
