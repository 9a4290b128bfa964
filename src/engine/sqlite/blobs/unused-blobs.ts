import { nextLoopTurn } from "../../../util/loop-turn.ts";
import type { Steps } from "../../../util/steps.ts";
import type { Freed } from "../../removal-rules.ts";
import { isIntact, type Row } from "../rows.ts";
import { type Statements, SUSPECTED_BEFORE } from "../statements.ts";
import { type Blobs, DROPPED_BYTES_MAX, hashesIn } from "./blobs.ts";

/** How many blobs one transaction handles. */
const SLICE_BLOBS = 500;

/**
 * The blobs stored before a time that no entry refers to.
 *
 * They are searched for without the lock of a writer. Entries are never changed
 * to refer to a blob, so that the transaction that removes some of them only
 * has to look at the entries written since.
 *
 * The index of references is small and is asked first. It has no checksum, and
 * neither has a tree of pages: blobs that it does not name are looked for in
 * the table. An entry that is not as it was written may have referred to any
 * of them, so that none is removed then.
 */
export class UnusedBlobs {
  readonly #sql: Statements;
  readonly #blobs: Blobs;
  readonly #beforeMs: number;
  /** The times when they were stored, by hash. */
  readonly #unused = new Map<string, number>();
  readonly #used: string[] = [];
  /** The last entry that was looked at. */
  #searchedTo = 0;
  #damaged: string | undefined;
  #problem: string | undefined;

  constructor(sql: Statements, blobs: Blobs, beforeMs: number) {
    this.#sql = sql;
    this.#blobs = blobs;
    this.#beforeMs = beforeMs;
  }

  /** Why blobs that may be unused were kept. */
  get problem(): string | undefined {
    return this.#problem;
  }

  *search(): Steps<void> {
    const { blobsBefore } = this.#sql;
    const stored = (last?: Row): Iterable<Row> => blobsBefore.iterate(this.#beforeMs, numberIn(last));
    yield* inSlices(stored, ([, hash, storedMs]) => {
      this.#unused.set(hash as string, storedMs as number);
    });
    yield* this.#searchIndex();
    yield* inSlices(() => this.#entries(), this.#look);
  }

  *#searchIndex(): Steps<void> {
    // An entry is in the index once. A damaged one could lead in circles.
    let left = numberIn(this.#sql.lastN.get());
    const references = (last?: Row): Iterable<Row> =>
      this.#unused.size === 0 || left < 0
        ? []
        : this.#sql.referencesAfter.iterate(numberIn(last), (last?.[1] as string | undefined) ?? "");
    yield* inSlices(references, ([, refs]) => {
      left--;
      this.#keep(refs as string | null);
    });
  }

  #entries(): Iterable<Row> {
    return this.#unused.size === 0 ? [] : this.#sql.storedReferencesAfter.iterate(this.#searchedTo);
  }

  readonly #look = ([n, refs]: Row): void => {
    this.#searchedTo = n as number;
    if (refs === null) return;
    this.#keep(refs as string);
    const row = this.#sql.entryByN.get(n as number);
    if (row !== undefined && !isIntact(row)) this.#damaged ??= `entry ${row[0]} does not match its checksum`;
  };

  #keep(references: string | null): void {
    for (const hash of hashesIn(references)) {
      const storedMs = this.#unused.get(hash);
      if (storedMs === undefined) continue;
      this.#unused.delete(hash);
      if (storedMs < SUSPECTED_BEFORE) this.#used.push(hash);
    }
  }

  /** Remove some of them, in a transaction. `undefined` when there are no more. */
  drop(): Freed | undefined {
    for (const row of this.#entries()) this.#look(row);
    if (this.#damaged !== undefined && this.#unused.size > 0) {
      this.#problem = `Blobs that may be unused are kept, because ${this.#damaged}`;
      this.#unused.clear();
    }
    if (this.#unused.size + this.#used.length === 0) return undefined;
    for (const hash of this.#used.splice(0, SLICE_BLOBS)) this.#sql.keepBlob.run(hash);
    const slice = this.#nextSlice();
    if (slice.length > 0) this.#sql.insertErasure.run();
    return this.#blobs.drop(slice);
  }

  #nextSlice(): [n: number, bytes: number][] {
    const slice: [n: number, bytes: number][] = [];
    let total = 0;
    for (const [hash, storedMs] of this.#unused) {
      if (slice.length >= SLICE_BLOBS || total >= DROPPED_BYTES_MAX) break;
      this.#unused.delete(hash);
      const row = this.#sql.unusedBlob.get<[n: number, bytes: number]>(hash, storedMs);
      if (row === undefined) continue;
      slice.push(row);
      total += row[1];
    }
    return slice;
  }
}

/** Those that may be unused, for one search; with `isLeft`, also if another process has removed something. */
export function takeUnused(sql: Statements, blobs: Blobs, isLeft: boolean): UnusedBlobs | undefined {
  const beforeMs = blobs.searchBeforeMs ?? (isLeft ? SUSPECTED_BEFORE : undefined);
  blobs.searchBeforeMs = undefined;
  return beforeMs === undefined ? undefined : new UnusedBlobs(sql, blobs, beforeMs);
}

/** 0 before the first row. */
function numberIn(row: Row | undefined): number {
  return (row?.[0] as number | undefined) ?? 0;
}

/** Between two slices no statement is open, and the event loop turns. */
function* inSlices(read: (last?: Row) => Iterable<Row>, look: (row: Row) => void): Steps<void> {
  let last: Row | undefined;
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const row of read(last)) {
      look(row);
      last = row;
      if (nextLoopTurn() === undefined) continue;
      isDone = false;
      break;
    }
    yield;
  }
}
