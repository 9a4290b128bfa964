/** Compares the bytes of a file that is read from its beginning with the originals that the store has. */
import type { Segment, Stretch } from "../../../store/originals/announcement.ts";
import type { Original } from "../../../store/originals/originals.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import type { UncutSegment } from "./collector.ts";

/** An original that the file may be, or may have been. */
export interface Candidate {
  readonly original: Original;
  readonly segments: readonly (Segment | undefined)[];
}

/** A stored segment, and the same bytes as they were read. */
export interface Match {
  readonly candidate: Candidate;
  readonly index: number;
  readonly segment: Segment;
  readonly bytes: Buffer;
}

const SPACE = 0x20;
const NEWLINE = 0x0a;

export class Matching {
  #candidates: Candidate[];
  /** Bytes that were not compared yet. */
  #open: Buffer = Buffer.alloc(0);
  #at: Stretch[] = [];
  /** How they are cut. What is new of a file is cut as if all of it were. */
  #parts: (Omit<UncutSegment, "at" | "bytes"> & { readonly bytes: number })[] = [];
  /** The original that the last match was in, and how many of its segments were matched. */
  base: Candidate | undefined;
  matched = 0;
  readonly #read: (segment: Segment) => Promise<Buffer | string>;

  constructor(candidates: readonly Candidate[], read: (segment: Segment) => Promise<Buffer | string>) {
    this.#candidates = candidates.filter(({ segments }) => segments.length > 0);
    this.#read = read;
  }

  /** The original that the bytes so far are part of. */
  get candidate(): Candidate | undefined {
    return this.#candidates[0] ?? this.base;
  }

  /** Whether the bytes to come may be in the store. */
  get isOpen(): boolean {
    return this.#candidates.length > 0;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** The bytes that the store does not have, once that is clear. */
  rest(): UncutSegment[] {
    let from = 0;
    return this.#parts.map(({ bytes: length, ...marks }) => {
      const at = first(after(this.#at, from), length);
      const bytes = this.#open.subarray(from, from + length);
      from += length;
      return { ...marks, at, bytes };
    });
  }

  async *add(segments: readonly UncutSegment[]): AsyncGenerator<Match, void, undefined> {
    this.#open = Buffer.concat([this.#open, ...segments.map(({ bytes }) => bytes)]);
    this.#at.push(...segments.flatMap(({ at }) => at));
    this.#parts.push(...segments.map(({ at: _, bytes, ...marks }) => ({ ...marks, bytes: bytes.length })));
    for (let candidate = this.#next(); candidate !== undefined; candidate = this.#next()) {
      const segment = candidate.segments[this.matched];
      const isPart = segment !== undefined && this.#open.length < segment.bytes;
      // Entries that were made of these bytes name their original now.
      if (isPart && (await this.#begins(segment))) return;
      if (segment === undefined || isPart || !(await this.#isSame(segment))) this.#candidates.shift();
      else {
        yield { candidate, index: this.matched, segment, bytes: this.#open.subarray(0, segment.bytes) };
        this.base = candidate;
        this.#pass(segment);
      }
    }
  }

  /** Whether a segment begins with the bytes, or may do so. */
  async #begins(segment: Segment): Promise<boolean> {
    if (this.#open.length === 0) return true;
    const stored = await this.#read(segment);
    return typeof stored === "string" || isSame(stored.subarray(0, this.#open.length), this.#open);
  }

  /** The file has ended. Whether the store has the rest of it, as a part of a segment. */
  async hasRest(): Promise<boolean> {
    if (this.#open.length === 0) return true;
    for (const { segments } of this.#candidates) {
      const segment = segments[this.matched];
      const stored = segment === undefined ? "missing" : await this.#read(segment);
      if (typeof stored !== "string" && isSame(stored.subarray(0, this.#open.length), this.#open))
        return true;
    }
    return false;
  }

  /** The first candidate that has more. */
  #next(): Candidate | undefined {
    this.#candidates = this.#candidates.filter(({ segments }) => segments.length > this.matched);
    return this.#candidates[0];
  }

  #pass(segment: Segment): void {
    this.#candidates = this.#candidates.filter(
      ({ segments }) => segments[this.matched]?.hash === segment.hash,
    );
    this.matched++;
    this.#passParts(segment.bytes);
    this.#open = this.#open.subarray(segment.bytes);
    this.#at = after(this.#at, segment.bytes);
  }

  #passParts(bytes: number): void {
    for (let left = bytes; left > 0; ) {
      const [part, ...others] = this.#parts;
      if (part === undefined) return;
      const isWhole = part.bytes <= left;
      const continues = this.#open[bytes - 1] !== NEWLINE;
      this.#parts = isWhole ? others : [{ ...part, bytes: part.bytes - left, continues }, ...others];
      left -= Math.min(left, part.bytes);
    }
  }

  async #isSame({ bytes, hash, redactedAt, ...others }: Segment): Promise<boolean> {
    const read = this.#open.subarray(0, bytes);
    if (sha256Hex(read) === hash) return true;
    if (redactedAt === undefined) return false;
    const stored = await this.#read({ bytes, hash, redactedAt, ...others });
    return typeof stored !== "string" && isSame(stored, read);
  }
}

/** The source still has the words that were erased from the store. */
function isSame(stored: Buffer, read: Buffer): boolean {
  if (stored.length !== read.length) return false;
  for (let at = 0; at < stored.length; at++) {
    if (stored[at] !== read[at] && stored[at] !== SPACE) return false;
  }
  return true;
}

/** The stretches up to that many bytes. */
function first(at: readonly Stretch[], bytes: number): Stretch[] {
  let left = bytes;
  return at.flatMap(([start, length]): Stretch[] => {
    const kept = Math.min(left, length);
    left -= kept;
    return kept === 0 ? [] : [[start, kept]];
  });
}

/** The stretches without their first `bytes`. */
function after(at: readonly Stretch[], bytes: number): Stretch[] {
  let left = bytes;
  return at.flatMap(([start, length]): Stretch[] => {
    const passed = Math.min(left, length);
    left -= passed;
    return passed === length ? [] : [[start + passed, length - passed]];
  });
}
