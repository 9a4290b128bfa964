/**
 * The bytes of a file on their way to the conversations that they belong to.
 *
 * Reading records and keeping bytes see the same chunks (`recording`). A record is announced when it was read
 * (`add`) and claimed by the conversation that its entry or note went to, perhaps later: readers hold records. Bytes
 * leave in the order of the file, so that a conversation gets long stretches of it.
 */

import { LINE_BYTES_MAX } from "../../../disk/line-scan.ts";
import type { Stretch } from "../../../store/originals/announcement.ts";
import { ELEMENT_BYTES_MAX } from "../../sources/json/elements.ts";
import { giveBack } from "../../sources/json/long-strings.ts";
import type { ByteSource, Recorded } from "../../sources/types.ts";

/** A conversation that keeps bytes of the file. */
export interface Keeper {
  /** `bytes` is valid during the call, unless `isOwn`: then nothing else uses its memory. */
  keep(at: Stretch, bytes: Buffer, isOwn: boolean): void;
}

interface Range {
  readonly start: number;
  end: number;
  readonly line: number;
  /** Nothing that a reader sees, such as a blank line: it goes with its neighbour. */
  isBlank: boolean;
  readonly keepers: Keeper[];
}

/** From here on in one large step: memory that is reserved and not written to costs nothing. */
const LARGE_BYTES = 4 * 1024 * 1024;
const STEP_BYTES = LINE_BYTES_MAX + LARGE_BYTES;
/** A longer record is handed over as it is instead of being copied. */
const LONG_BYTES = 1024 * 1024;
/** A record does not wait for its reader when so many bytes or records were read after it. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const WAITING_RECORDS_MAX = 100_000;
/** As long as no conversation has begun, it waits for more. */
const UNOWNED_BYTES_MAX = 64 * 1024 * 1024;
/** More than the largest element of a document. */
const UNREAD_BYTES_MAX = ELEMENT_BYTES_MAX + LARGE_BYTES;

export class FileStream {
  #window: Buffer = Buffer.alloc(0);
  /** The offset in the file of the first byte of the window, and of the first after it. */
  #from: number;
  #end: number;
  readonly #ranges: Range[] = [];
  /** Ranges before this index have left. */
  #left = 0;
  /** Those from there on and before this one have no keeper, as long as nothing is claimed. */
  #unclaimed = 0;
  readonly #byStart: Map<number, Range> = new Map();
  #last: Keeper | undefined;
  /** The end of the last range. */
  #added: number;
  /** Bytes before this offset left before their record was read to its end. */
  #cut = 0;
  readonly #fallback: () => Keeper;

  /** `fallback` keeps what cannot wait for a conversation any longer. */
  constructor(from: number, fallback: () => Keeper) {
    this.#fallback = fallback;
    this.#added = from;
    this.#from = from;
    this.#end = from;
  }

  /** The same source. What is read of it is recorded. */
  recording(source: ByteSource): ByteSource {
    const record = (chunk: Buffer, offset: number): void => this.#append(chunk, offset);
    return {
      async *chunks(from = 0) {
        let offset = from;
        for await (const chunk of source.chunks(from)) {
          record(chunk, offset);
          offset += chunk.length;
          yield chunk;
        }
      },
      close: () => source.close(),
    };
  }

  /** Reading need not copy what is recorded. A view of it is valid until more is read. */
  get options(): { readonly recorded: Recorded } {
    return { recorded: (start, bytes) => this.#bytes(start, start + bytes) };
  }

  /** The first record that a reader holds. */
  get held(): { readonly offset: number; readonly line: number } | undefined {
    const range = this.#ranges[this.#left];
    return range && { offset: range.start, line: range.line };
  }

  /** Whether records that were claimed wait for one before them that a reader holds. */
  get holdsClaimed(): boolean {
    return this.#ranges.some(({ keepers }, index) => index >= this.#left && keepers.length > 0);
  }

  /** A record was read. It begins where the one before it ended, or after bytes that are none. */
  add(start: number, bytes: number, isBlank: boolean, line = 1): void {
    const isRest = start < this.#cut;
    const from = isRest ? this.#cut : start;
    const end = start + bytes;
    if (end <= from || end > this.#end || from < this.#from) return;
    this.#added = end;
    const before = this.#ranges.at(-1);
    // There may be millions of blank lines.
    if (isBlank && before?.isBlank === true && before.end === from && this.#ranges.length > this.#left) {
      before.end = end;
      return;
    }
    const range: Range = { start: from, end, line, isBlank: isBlank || isRest, keepers: [] };
    this.#ranges.push(range);
    if (!range.isBlank) this.#byStart.set(from, range);
  }

  /**
   * Bytes that no record was made of, although they are more than one may have, are a part of one that is too long:
   * they go with their neighbours, so that it is never in memory as a whole.
   */
  cut(line: number): void {
    const begun = Math.max(this.#added, this.#from);
    if (this.#end - begun <= LINE_BYTES_MAX) return;
    this.add(begun, this.#end - begun, true, line);
    this.#cut = this.#end;
  }

  /** The record at this offset is several ones, which begin at these offsets. Each of them ends with the next. */
  split(start: number, starts: readonly number[]): void {
    const range = this.#byStart.get(start);
    if (range === undefined || range !== this.#ranges.at(-1)) return;
    this.#ranges.pop();
    for (const [index, from] of starts.entries()) {
      const part = { ...range, start: from, end: starts[index + 1] ?? range.end, keepers: [] };
      this.#ranges.push(part);
      this.#byStart.set(from, part);
    }
  }

  /** The record at this offset is part of a conversation. */
  claim(start: number, keeper: Keeper): void {
    const keepers = this.#byStart.get(start)?.keepers;
    if (keepers !== undefined && !keepers.includes(keeper)) keepers.push(keeper);
  }

  lengthAt(start: number): number | undefined {
    const range = this.#byStart.get(start);
    return range && range.end - range.start;
  }

  /** The record at this offset is part of nothing that was read: it goes with its neighbour. */
  free(start: number): void {
    const range = this.#byStart.get(start);
    if (range !== undefined) range.isBlank = true;
  }

  /** Let go of everything that was claimed, up to the first record that a reader holds. */
  release(): void {
    this.#unclaimed = 0;
    while (this.#left < this.#ranges.length) {
      const range = this.#ranges[this.#left] as Range;
      const instead = range.keepers.length > 0 ? undefined : this.#instead(range);
      if (range.keepers.length === 0 && instead === undefined) break;
      this.#pass(range, instead);
    }
    this.#forget();
  }

  /** Who keeps a record that nobody has claimed, unless it waits. */
  #instead({ start, end, isBlank }: Range): Keeper | undefined {
    const bytes = this.#end - (isBlank ? start : end);
    const isCrowded = this.#ranges.length - this.#left > WAITING_RECORDS_MAX;
    const waits = !isBlank && !isCrowded && bytes <= WAITING_BYTES_MAX;
    const neighbour = waits ? undefined : (this.#last ?? this.#next());
    const isUnowned = neighbour === undefined && (isCrowded || bytes > UNOWNED_BYTES_MAX);
    return isUnowned ? this.#fallback() : neighbour;
  }

  /**
   * Nothing more is claimed: unclaimed bytes go with their neighbours. `isContinued`: what an earlier import has claimed
   * waited behind a record that a reader held, and may have none.
   */
  releaseAll(isContinued = false): void {
    this.#unclaimed = 0;
    while (this.#left < this.#ranges.length) {
      const neighbour = this.#last ?? this.#next() ?? (isContinued ? this.#fallback() : undefined);
      this.#pass(this.#ranges[this.#left] as Range, neighbour);
    }
    this.#forget();
  }

  /** Let go of everything. A record that was not claimed is not kept. */
  releaseClaimed(): void {
    this.#unclaimed = 0;
    while (this.#left < this.#ranges.length) {
      const range = this.#ranges[this.#left] as Range;
      this.#pass(range, range.isBlank ? (this.#next() ?? this.#last) : undefined);
    }
    this.#forget();
  }

  /** The bytes that no record was made of, between the last one and this offset. */
  unread(start: number): Buffer {
    const from = Math.max(this.#from, this.#ranges.at(-1)?.end ?? this.#from);
    return this.#bytes(from, Math.max(from, Math.min(start, this.#end)));
  }

  get end(): number {
    return this.#end;
  }

  #next(): Keeper | undefined {
    this.#unclaimed = Math.max(this.#unclaimed, this.#left);
    for (; this.#unclaimed < this.#ranges.length; this.#unclaimed++) {
      const [keeper] = this.#ranges[this.#unclaimed]?.keepers ?? [];
      if (keeper !== undefined) return keeper;
    }
    return undefined;
  }

  #pass({ start, end, isBlank, keepers }: Range, instead: Keeper | undefined): void {
    this.#left++;
    this.#byStart.delete(start);
    const own = keepers.length > 0 ? keepers : instead === undefined ? [] : [instead];
    // The rest of the window is copied then: for many long records, only as much as leaves.
    const isOwn = end - start >= Math.max(LONG_BYTES, this.#end - end) && own.length === 1;
    const bytes = own.length === 0 ? undefined : this.#bytes(start, end);
    for (const keeper of own) if (bytes !== undefined) keeper.keep([start, end - start], bytes, isOwn);
    if (isOwn) this.#renew(end);
    if (!isBlank) this.#last = own.at(-1) ?? this.#last;
  }

  #bytes(start: number, end: number): Buffer {
    return this.#window.subarray(start - this.#from, end - this.#from);
  }

  /** The bytes before this offset are in use elsewhere. */
  #renew(offset: number): void {
    this.#window = Buffer.from(this.#window.subarray(offset - this.#from, this.#end - this.#from));
    this.#from = offset;
  }

  #append(chunk: Buffer, offset: number): void {
    const known = this.#end - offset;
    // Damage is read a second time, from an earlier place.
    if (known < 0 || known >= chunk.length) return;
    if (this.#end - Math.max(this.#added, this.#from) > UNREAD_BYTES_MAX) this.#drop();
    const bytes = known === 0 ? chunk : chunk.subarray(known);
    const wanted = this.#end - this.#from + bytes.length;
    if (wanted > this.#window.length) this.#grow(wanted);
    // Growing may have moved the window.
    bytes.copy(this.#window, this.#end - this.#from);
    this.#end += bytes.length;
  }

  /** No record is so long. Its bytes are not kept. */
  #drop(): void {
    this.releaseAll();
    giveBack(this.#window);
    this.#window = Buffer.alloc(0);
    this.#from = this.#end;
  }

  /** Bytes that have left make room first. */
  #grow(bytes: number): void {
    const gone = (this.held?.offset ?? this.#from) - this.#from;
    const kept = this.#window.subarray(gone, this.#end - this.#from);
    const wanted = bytes - gone;
    if (gone >= kept.length && wanted <= this.#window.length) kept.copy(this.#window);
    else {
      const larger = Buffer.allocUnsafeSlow(this.#sizeFor(wanted));
      kept.copy(larger);
      giveBack(this.#window);
      this.#window = larger;
    }
    this.#from += gone;
  }

  /** The first time as little as a small file needs. */
  #sizeFor(bytes: number): number {
    if (this.#window.length === 0) return bytes;
    return bytes > LARGE_BYTES ? Math.max(STEP_BYTES, bytes * 2) : bytes * 2;
  }

  #forget(): void {
    if (this.#left < 1000 && this.#left < this.#ranges.length) return;
    if (this.#left === this.#ranges.length) {
      const last = this.#ranges.at(-1);
      if (last !== undefined && last.end > this.#from) this.#leave(last.end);
    }
    this.#ranges.splice(0, this.#left);
    this.#left = 0;
  }

  /** Everything up to this offset has left, and no range says so. */
  #leave(offset: number): void {
    const kept = this.#window.subarray(offset - this.#from, this.#end - this.#from);
    kept.copy(this.#window);
    this.#from = offset;
  }
}
