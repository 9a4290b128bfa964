/** Writes the entries of one conversation to the store in batches. */
import type { EntryPlace } from "../../../engine/index.ts";
import { ColloquyError } from "../../../errors.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import type { BranchRef } from "./placement.ts";

const BATCH_ENTRIES_MAX = 1000;
const BATCH_BYTES_MAX = 512 * 1024;

/** An entry to be written. `written` receives its `seq`, and whether the store did not have it yet. */
export interface Outgoing {
  readonly ready: ReadyEntry;
  readonly bytes: number;
  readonly written: (seq: number, isNew: boolean) => void;
}

/** Starts to create the conversation, unless it exists, so that it and its first entries share a transaction. */
export type Create = () => Promise<void> | undefined;

interface Batch {
  readonly branch: BranchRef;
  /** Its first entry creates the branch. */
  readonly makes: boolean;
  readonly entries: Outgoing[];
  bytes: number;
}

export class BatchWriter {
  readonly #ingest: Ingest;
  readonly #conversation: string;
  readonly #create: Create;
  readonly #isFresh: () => boolean;
  readonly #another: Another;
  #batch: Batch | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** `isFresh`: whether the ids of new entries cannot be in the store yet. */
  constructor(
    ingest: Ingest,
    conversation: string,
    create: Create,
    isFresh: () => boolean,
    another: Another,
  ) {
    this.#ingest = ingest;
    this.#conversation = conversation;
    this.#create = create;
    this.#isFresh = isFresh;
    this.#another = another;
  }

  /** Whether an entry can be appended to this branch without waiting. */
  canAppend(branch: BranchRef): boolean {
    return branch.id !== undefined || branch === this.#batch?.branch;
  }

  append(branch: BranchRef, entry: Outgoing): void {
    if (this.#batch !== undefined && this.#batch.branch !== branch) this.flush();
    this.#batch ??= { branch, makes: false, entries: [], bytes: 0 };
    this.#batch.entries.push(entry);
    this.#batch.bytes += entry.bytes;
    if (this.#batch.entries.length >= BATCH_ENTRIES_MAX || this.#batch.bytes >= BATCH_BYTES_MAX) this.flush();
  }

  /** Create a branch. Entries that are appended to it next are written with it. */
  begin(branch: BranchRef, control: Outgoing): void {
    this.flush();
    this.#batch = { branch, makes: true, entries: [control], bytes: control.bytes };
  }

  /** Write the current batch after those before it; when one of them fails, it is not written, so the log has no gap. */
  flush(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    this.#writing = this.#writing.then(() => this.#write(batch));
    // `settle` reports a failure; until then it must not count as unhandled.
    this.#writing.catch(() => {});
  }

  /** Resolves when everything appended is in the store and has its `seq`. */
  async settle(): Promise<void> {
    this.flush();
    await this.#writing;
  }

  /** Resolves when nothing is being written. What was not sent is dropped. */
  async abandon(): Promise<void> {
    this.#batch = undefined;
    await this.#writing.catch(() => {});
  }

  async #write(batch: Batch): Promise<void> {
    const branch = batch.makes ? undefined : batch.branch.id;
    const entries = batch.entries.map(({ ready }) => ready);
    try {
      const places = await this.#append(branch, entries, this.#isFresh()).catch((error) => {
        if (!isUnexpected(error)) throw error;
        return this.#ingest.alone(() => this.#append(branch, entries, false));
      });
      if (batch.makes) batch.branch.id = places[0]?.seq;
      batch.entries.forEach(({ written }, index) => {
        written(places[index]?.seq ?? 0, true);
      });
    } catch (error) {
      const known = error instanceof ColloquyError && error.code === "CONFLICT" && error.field === "id";
      if (!known) throw error;
      await this.#writeSingly(batch);
    }
  }

  /** In the transaction that creates the conversation, or after it when the creation had to be repeated. */
  async #append(
    branch: number | undefined,
    entries: readonly ReadyEntry[],
    fresh: boolean,
  ): Promise<readonly EntryPlace[]> {
    const creating = this.#create();
    const appending = this.#ingest.append(this.#conversation, branch, entries, fresh);
    if (creating === undefined) return appending;
    const [created, appended] = await Promise.allSettled([creating, appending]);
    if (created.status === "rejected") throw created.reason;
    if (appended.status === "fulfilled") return appended.value;
    const isEarly = appended.reason instanceof ColloquyError && appended.reason.code === "NOT_FOUND";
    if (!isEarly) throw appended.reason;
    return this.#ingest.append(this.#conversation, branch, entries, fresh);
  }

  /** Some of them are already in the store, from an interrupted import or as another version. */
  async #writeSingly({ branch, makes, entries }: Batch): Promise<void> {
    const [first, ...others] = entries;
    if (makes && first !== undefined) branch.id = await this.#writeOne(undefined, first);
    for (const entry of makes ? others : entries) await this.#writeOne(branch.id, entry);
  }

  async #writeOne(branch: number | undefined, { ready, written }: Outgoing): Promise<number> {
    const known = await this.#ingest.locate(this.#conversation, ready.entry.id);
    const wanted = known === undefined ? ready : await this.#another(ready, known);
    const [place] =
      wanted === undefined ? [] : await this.#ingest.append(this.#conversation, branch, [wanted], false);
    const seq = place?.seq ?? known ?? 0;
    written(seq, wanted !== undefined);
    return seq;
  }
}

/** Perhaps of another write in the same transaction. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof ColloquyError) || ["INTERNAL_ERROR", "VALIDATION_ERROR"].includes(error.code);
}

/** The entry to write instead of one whose id the store has at `seq`, if any. */
type Another = (ready: ReadyEntry, seq: number) => Promise<ReadyEntry | undefined>;
