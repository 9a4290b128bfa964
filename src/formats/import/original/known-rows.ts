/**
 * The rows of a database that a conversation keeps. They have no order that lasts, so each is kept once.
 *
 * A long row has several segments, and another form of it may share some of them: only whole rows are compared.
 */
import type { Hash } from "node:crypto";
import type { Segment } from "../../../store/originals/announcement.ts";
import { recordGroups } from "../../../store/originals/blank-segments.ts";
import { sha256, sha256Hex } from "../../../util/sha256.ts";
import type { UncutSegment } from "./collector.ts";

const NEWLINE = 0x0a;

/** Segments that hold rows from beginning to end: one of many short rows, or all those of a long row. */
export type WholeRows = readonly UncutSegment[];

export class KnownRows {
  readonly #hashes: Set<string> = new Set();
  /** The first segment of rows that cannot be read, by the hashes of their segments. */
  readonly #unreadable: Map<string, number> = new Map();
  /** Where the next row goes. */
  #end = 0;

  /** What the store has, one segment at a time. */
  async load(
    segments: readonly (Segment | undefined)[],
    read: (segment: Segment) => Promise<Buffer | string>,
  ): Promise<void> {
    const rows = new RowHashes();
    const places = segments.map((segment, index) => ({
      ...{ segment, index, continues: segment?.continues === true },
    }));
    for (const group of recordGroups(places)) {
      let isReadable = true;
      for (const { segment } of group) {
        this.#end += segment?.bytes ?? 0;
        const bytes = segment === undefined ? "missing" : await read(segment);
        if (typeof bytes !== "string") for (const hash of rows.in(bytes)) this.#hashes.add(hash);
        else {
          rows.interrupt();
          isReadable = false;
        }
      }
      const [first] = group;
      if (!isReadable && first !== undefined)
        this.#unreadable.set(group.map(({ segment }) => segment?.hash).join(), first.index);
    }
  }

  /** Those that are new, which are known from then on. */
  *fresh(segments: readonly UncutSegment[]): Generator<WholeRows> {
    for (const group of recordGroups(segments)) {
      if (group.length > 1) {
        if (this.#isNew(hashOf(group))) yield group;
        continue;
      }
      const fresh = group.flatMap((segment) => this.#freshIn(segment));
      if (fresh.length > 0) yield fresh;
    }
  }

  /** Where the store has the same rows, but cannot read them: the index of the first segment. */
  unreadable(rows: WholeRows): number | undefined {
    if (this.#unreadable.size === 0) return undefined;
    return this.#unreadable.get(rows.map(({ bytes }) => sha256Hex(bytes)).join());
  }

  /** The same rows after all others. */
  place(rows: WholeRows): WholeRows {
    return rows.map((segment) => {
      const start = this.#end;
      this.#end += segment.bytes.length;
      return { ...segment, at: [[start, segment.bytes.length]] };
    });
  }

  #freshIn({ bytes, redactedAt }: UncutSegment): UncutSegment[] {
    const rows = [...linesIn(bytes)].filter((row) => this.#isNew(sha256Hex(row)));
    if (rows.length === 0) return [];
    const erased = redactedAt === undefined ? {} : { redactedAt };
    return [{ at: [], bytes: Buffer.concat(rows), continues: false, ...erased }];
  }

  #isNew(hash: string): boolean {
    if (this.#hashes.has(hash)) return false;
    this.#hashes.add(hash);
    return true;
  }
}

/** The hashes of rows that come in pieces: a long one is never in memory as a whole. */
class RowHashes {
  #begun: Hash | undefined;

  *in(bytes: Buffer): Generator<string> {
    for (const line of linesIn(bytes)) {
      const isEnd = line.at(-1) === NEWLINE;
      if (isEnd && this.#begun === undefined) yield sha256Hex(line);
      else {
        this.#begun ??= sha256();
        this.#begun.update(line);
        if (!isEnd) continue;
        yield this.#begun.digest("hex");
        this.#begun = undefined;
      }
    }
  }

  /** A piece is missing: the next one does not continue the row. */
  interrupt(): void {
    this.#begun = undefined;
  }
}

function hashOf(row: WholeRows): string {
  const hash = sha256();
  for (const { bytes } of row) hash.update(bytes);
  return hash.digest("hex");
}

/** The last one may have no end. */
function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start) + 1 || bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}
