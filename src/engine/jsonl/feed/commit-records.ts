import { checkHeld } from "../../../disk/with-lock.ts";
import type { TreePlace } from "../../../tree/place-entries.ts";
import type { CatalogueEntry } from "../folder/catalogue-entry.ts";
import type { JsonlContext } from "../jsonl-context.ts";
import type { Recorded } from "./feed.ts";
import { changeRecord, entriesRecord, type FeedRecord, type RecordType } from "./feed-record.ts";
import { settleFeed } from "./feed-repair.ts";
import { decide } from "./kept-records.ts";

/** Changes that leave no trace in the entries of a log, so that a power cut must not remove them from the feed. */
const SYNCED: ReadonlySet<RecordType> = new Set([
  "created",
  "updated",
  "trashed",
  "restored",
  "purged",
  "redacted",
  "swept",
]);

/** The feed records of one commit: written before the entries they announce, decided after the sync. */
export class CommitRecords {
  readonly #context: JsonlContext;
  /** Not yet in the feed. */
  #pending: Recorded[] = [];
  /** In the feed, from `#first` on. */
  readonly #written: Recorded[] = [];
  #first = 0;

  constructor(context: JsonlContext) {
    this.#context = context;
  }

  get isPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Operation `index` has changed a conversation. */
  addChange(type: RecordType, { stem, metadata }: CatalogueEntry, index: number): void {
    this.#pending.push({ record: changeRecord(type, stem, metadata.id), index });
  }

  /** Operation `index` is about to write entries. */
  addIntent(stem: string, places: readonly TreePlace[], firstId: string, index: number): void {
    this.#pending.push({ record: recordOf(stem, places, firstId), index });
  }

  /** Operation `index` has written and synced entries. */
  addEntries(stem: string, places: readonly TreePlace[], firstId: string, index: number): void {
    this.#pending.push({ record: decide(recordOf(stem, places, firstId), true), index });
  }

  /** Write the pending records to the feed. If this throws, the entries they announce must not be written. */
  write(): void {
    const { feed, lock, folder } = this.#context;
    const isFirst = this.#written.length === 0;
    const pending = [...feed.owed.splice(0), ...this.#pending];
    this.#pending = [];
    const records = pending.map(({ record }, place) => ({ ...record, continues: !isFirst || place > 0 }));
    try {
      checkHeld(lock, folder);
      if (isFirst) settleFeed(this.#context);
      const first = feed.add(records);
      if (isFirst) this.#first = first;
    } catch (error) {
      // Changes that have happened are recorded by a later commit.
      for (const one of pending) if (one.record.type !== "intent") feed.owed.push(one);
      throw error;
    }
    for (const [place, { index }] of pending.entries()) {
      this.#written.push({ record: records[place] as FeedRecord, index });
    }
  }

  /**
   * Turn intents into entries or voids, which makes them visible to readers of
   * the feed. If this fails, the next commit decides by looking at the logs.
   */
  decide(isOk: (index: number) => boolean): void {
    const { feed } = this.#context;
    if (this.#written.length === 0) return;
    const records = this.#written.map(({ record, index }) =>
      record.type === "intent" ? decide(record, isOk(index)) : record,
    );
    try {
      if (this.#written.some(({ record }) => record.type === "intent")) feed.decide(this.#first, records);
      else feed.markDecided();
      if (records.some(({ type }) => SYNCED.has(type))) feed.syncAll();
    } catch {
      // See above.
    }
  }
}

/** A log that was copied from a swept one has gaps, so the count comes from the numbers. */
function recordOf(stem: string, places: readonly TreePlace[], firstId: string): FeedRecord {
  const [first, last] = [places[0] as TreePlace, places.at(-1) as TreePlace];
  return entriesRecord(stem, first.seq, last.seq - first.seq + 1, firstId);
}
