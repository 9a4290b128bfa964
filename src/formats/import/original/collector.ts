/** Gathers what one conversation keeps of one file, and the entries that were made of it. */
import type { OriginalForm, Stretch } from "../../../store/originals/announcement.ts";
import type { Json } from "../../../util/json.ts";
import type { Keeper } from "./file-stream.ts";
import { MEMORY_BYTES, returnMemory, takeMemory } from "./segment-memory.ts";

/** Bytes that become one segment. */
export interface UncutSegment {
  readonly at: readonly Stretch[];
  readonly bytes: Buffer;
  /** It begins within a record. */
  readonly continues: boolean;
  /** When words were overwritten in it, which the store has erased before. */
  readonly redactedAt?: string;
  /** To return once it is stored. */
  readonly memory?: Buffer;
}

/** What was gathered of one file since the last time, in the order of the file. */
export interface QueuedOriginal {
  /** A file beside the one that is read. */
  readonly file?: string;
  readonly form: OriginalForm;
  readonly segments: readonly UncutSegment[];
  /** The file was read to its end and has this size. */
  readonly size: number | undefined;
}

/** A segment ends with the record that reaches this size. A longer record is cut. */
const SEGMENT_BYTES = 256 * 1024;
/** One entry announces so many bytes. */
const ANNOUNCED_BYTES = 1024 * 1024;

/** A conversation with less has memory for that alone: there may be thousands. */
const SMALL_BYTES = 32 * 1024;

const NOTHING = Buffer.alloc(0);

export class Collector implements Keeper {
  readonly form: OriginalForm;
  readonly #full: (end: number) => void;
  #segments: UncutSegment[] = [];
  #bytes = 0;
  #rowsEnd = 0;
  #at: Stretch[] = [];
  #open: Buffer = NOTHING;
  #openBytes = 0;
  #isBorrowed = false;

  /** `full` is called when enough was gathered for one entry, with the end of what was kept last. */
  constructor(form: OriginalForm, full: (end: number) => void) {
    this.form = form;
    this.#full = full;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  keep([start, length]: Stretch, bytes: Buffer, isOwn: boolean): void {
    this.#bytes += length;
    if (length > 2 * SEGMENT_BYTES) this.#keepLong(start, isOwn ? bytes : Buffer.from(bytes));
    else this.#keepShort(start, bytes);
    if (this.#bytes >= ANNOUNCED_BYTES) this.#full(start + length);
  }

  /** A row of a database, as a line. Its position is decided when it is written. */
  keepRow(value: Json): void {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    this.keep([this.#rowsEnd, bytes.length], bytes, true);
    this.#rowsEnd += bytes.length;
  }

  /** What was gathered so far, which is then forgotten. */
  take(size: number | undefined): QueuedOriginal | undefined {
    this.#close();
    const segments = this.#segments;
    if (segments.length === 0 && size === undefined) return undefined;
    this.#segments = [];
    this.#bytes = 0;
    return { form: this.form, segments, size };
  }

  #keepShort(start: number, bytes: Buffer): void {
    const last = this.#at.at(-1);
    if (last !== undefined && last[0] + last[1] === start) {
      this.#at[this.#at.length - 1] = [last[0], last[1] + bytes.length];
    } else this.#at.push([start, bytes.length]);
    const length = this.#openBytes + bytes.length;
    if (length > this.#open.length) this.#grow(length);
    bytes.copy(this.#open, this.#openBytes);
    this.#openBytes = length;
    if (length >= SEGMENT_BYTES) this.#close();
  }

  #grow(length: number): void {
    const borrows = length > SMALL_BYTES && length <= MEMORY_BYTES;
    const larger = borrows
      ? takeMemory()
      : Buffer.allocUnsafeSlow(this.#openBytes === 0 ? length : 2 * length);
    this.#open.copy(larger, 0, 0, this.#openBytes);
    if (this.#isBorrowed) returnMemory(this.#open);
    this.#open = larger;
    this.#isBorrowed = borrows;
  }

  #close(): void {
    if (this.#openBytes === 0) return;
    const bytes = this.#open.subarray(0, this.#openBytes);
    const memory = this.#isBorrowed ? { memory: this.#open } : {};
    this.#segments.push({ at: this.#at, bytes, continues: false, ...memory });
    this.#at = [];
    this.#open = NOTHING;
    this.#openBytes = 0;
    this.#isBorrowed = false;
  }

  #keepLong(start: number, bytes: Buffer): void {
    this.#close();
    for (let from = 0; from < bytes.length; from += SEGMENT_BYTES) {
      const part = bytes.subarray(from, from + SEGMENT_BYTES);
      // They are stored together.
      const memory = from + part.length === bytes.length ? { memory: bytes } : {};
      this.#segments.push({ at: [[start + from, part.length]], bytes: part, continues: from > 0, ...memory });
    }
  }
}
