/**
 * Writes the entries of one conversation to the store in batches.
 *
 * In a conversation that this import creates, the `seq` of each entry is known before it is written (`startsEmpty`).
 * Batches are then sent without waiting for those before them, and each names the entry that it must follow.
 */
import type { EntryPlace } from "../../../engine/index.ts";
import { ColloquyError } from "../../../errors.ts";
import type { Ingest, ReadyEntry } from "../../../store/write/ingest.ts";
import { isOffPath } from "../../../tree/control.ts";
import type { LogTip } from "../../../tree/place-entries.ts";
import type { BranchRef } from "./placement.ts";

const BATCH_ENTRIES_MAX = 4000;
const BATCH_BYTES_MAX = 2 * 1024 * 1024;

/** An entry to be written. `written` receives its `seq`, and whether the store did not have it yet. */
export interface Outgoing {
  readonly ready: ReadyEntry;
  readonly bytes: number;
  readonly written: (seq: number, isNew: boolean) => void;
}

/** Starts to create the conversation, unless it exists, so that it and its first entries share a transaction. */
export type Create = () => Promise<void> | undefined;

/** Where batches go, and when. */
export interface BatchOptions {
  readonly ingest: Ingest;
  /** Of the conversation. */
  readonly id: string;
  /** Resolves when entries may be sent: until then they are prepared and wait. */
  readonly mayWrite: Promise<void>;
}

interface Batch {
  readonly branch: BranchRef;
  /** Its first entry creates the branch. */
  readonly makes: boolean;
  readonly entries: Outgoing[];
  bytes: number;
  /** The end of the log before it, where that is known. */
  readonly after: LogTip | undefined;
}

export class BatchWriter {
  readonly #ingest: Ingest;
  readonly #conversation: string;
  readonly #create: Create;
  readonly #isFresh: () => boolean;
  readonly #another: Another;
  #batch: Batch | undefined;
  #writing: Promise<void>;
  #isAbandoned = false;
  /** Where the log will end, if that is known before it is written. */
  #end: LogTip | undefined;
  /** The first error of a batch. Nothing is written after it. */
  failure: { readonly error: unknown } | undefined;
  /** The first batch, which creates the conversation. */
  #first: Promise<void> | undefined;

  /** `isFresh`: whether the ids of new entries cannot be in the store yet. */
  constructor(
    { ingest, id, mayWrite }: BatchOptions,
    create: Create,
    isFresh: () => boolean,
    another: Another,
  ) {
    this.#ingest = ingest;
    this.#conversation = id;
    this.#writing = mayWrite;
    this.#create = create;
    this.#isFresh = isFresh;
    this.#another = another;
  }

  /** The store has nothing of the conversation. */
  startsEmpty(): void {
    this.#end = { lastSeq: 0, last: null };
  }

  /** Whether an entry can be appended to this branch without waiting. */
  canAppend(branch: BranchRef): boolean {
    return branch.id !== undefined || branch === this.#batch?.branch;
  }

  /** Returns the `seq` that the entry will have, or 0 if that is not known yet. */
  append(branch: BranchRef, entry: Outgoing): number {
    if (this.#batch !== undefined && this.#batch.branch !== branch) this.flush();
    this.#batch ??= { branch, makes: false, entries: [], bytes: 0, after: this.#end };
    this.#batch.entries.push(entry);
    this.#batch.bytes += entry.bytes;
    const seq = this.#nextSeq(entry);
    if (this.#batch.entries.length >= BATCH_ENTRIES_MAX || this.#batch.bytes >= BATCH_BYTES_MAX) this.flush();
    return seq;
  }

  /** Create a branch. Entries that are appended to it next are written with it. */
  begin(branch: BranchRef, control: Outgoing): void {
    this.flush();
    this.#batch = { branch, makes: true, entries: [control], bytes: control.bytes, after: this.#end };
    branch.id = this.#nextSeq(control) || undefined;
  }

  #nextSeq({ ready: { entry } }: Outgoing): number {
    if (this.#end === undefined) return 0;
    const { lastSeq, last } = this.#end;
    this.#end = { lastSeq: lastSeq + 1, last: isOffPath(entry.kind, entry.data) ? last : entry.id };
    return lastSeq + 1;
  }

  /** Write the current batch after those before it; when one of them fails, it is not written, so the log has no gap. */
  flush(): void {
    const batch = this.#batch;
    if (batch === undefined) return;
    this.#batch = undefined;
    const before = this.#writing;
    this.#writing =
      batch.after === undefined || this.#first === undefined
        ? before.then(() => this.#write(batch))
        : this.#first.then(() => this.#writeAhead(batch, before));
    this.#first ??= this.#writing;
    // `settle` reports it, too; until then it must not count as unhandled.
    this.#writing.catch((error: unknown) => {
      this.failure ??= { error };
    });
  }

  /** Resolves when everything appended is in the store and has its `seq`. */
  async settle(): Promise<void> {
    this.flush();
    await this.#writing;
  }

  /** Send nothing more. Resolves when nothing is being written. */
  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    this.#batch = undefined;
    await this.#writing.catch(() => {});
  }

  async #write(batch: Batch): Promise<void> {
    if (this.#isAbandoned) return;
    try {
      const places = await this.#append(batch, this.#isFresh()).catch((error) => {
        if (!isUnexpected(error)) throw error;
        return this.#ingest.alone(() => this.#append(batch, false));
      });
      this.#written(batch, places);
    } catch (error) {
      if (!isConflict(error, "id") || batch.after !== undefined) throw error;
      await this.#writeSingly(batch);
    }
  }

  /** Those before it may still be under way: it is refused if one of them was, and follows when that was repeated. */
  async #writeAhead(batch: Batch, before: Promise<void>): Promise<void> {
    if (this.#isAbandoned) return;
    const [sent] = await Promise.allSettled([this.#append(batch, this.#isFresh())]);
    await before;
    if (sent.status === "fulfilled") return this.#written(batch, sent.value);
    if (!isUnexpected(sent.reason) && !isConflict(sent.reason, "seq")) throw sent.reason;
    this.#written(batch, await this.#ingest.alone(() => this.#append(batch, false)));
  }

  #written({ branch, makes, entries }: Batch, places: readonly EntryPlace[]): void {
    if (makes) branch.id = places[0]?.seq;
    entries.forEach(({ written }, index) => {
      written(places[index]?.seq ?? 0, true);
    });
  }

  /** In the transaction that creates the conversation, or after it when the creation had to be repeated. */
  async #append(
    { branch: { id }, makes, entries: outgoing, after }: Batch,
    fresh: boolean,
  ): Promise<readonly EntryPlace[]> {
    const branch = makes ? undefined : id;
    const entries = outgoing.map(({ ready }) => ready);
    const creating = this.#create();
    const appending = this.#ingest.append(this.#conversation, branch, entries, fresh, after);
    if (creating === undefined) return appending;
    const [created, appended] = await Promise.allSettled([creating, appending]);
    if (created.status === "rejected") throw created.reason;
    if (appended.status === "fulfilled") return appended.value;
    const isEarly = appended.reason instanceof ColloquyError && appended.reason.code === "NOT_FOUND";
    if (!isEarly) throw appended.reason;
    return this.#ingest.append(this.#conversation, branch, entries, fresh, after);
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

function isConflict(error: unknown, field: string): boolean {
  return error instanceof ColloquyError && error.code === "CONFLICT" && error.field === field;
}

/** Perhaps of another write in the same transaction. */
function isUnexpected(error: unknown): boolean {
  return !(error instanceof ColloquyError) || ["INTERNAL_ERROR", "VALIDATION_ERROR"].includes(error.code);
}

/** The entry to write instead of one whose id the store has at `seq`, if any. */
type Another = (ready: ReadyEntry, seq: number) => Promise<ReadyEntry | undefined>;
