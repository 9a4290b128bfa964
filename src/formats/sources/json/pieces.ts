/**
 * Splits the bytes of a JSON array into its elements, by brackets, strings and escapes only. Bytes that it
 * cannot separate are one piece: parsing decides whether a piece is a value.
 */
import { NEWLINE } from "../../../disk/line-scan.ts";
import { type Begun, begun } from "../gathered.ts";
import type { Recorded } from "../types.ts";

export interface Piece {
  readonly offset: number;
  readonly length: number;
  /** Missing when it is too long, or when there is nothing but the reason. */
  readonly bytes: Buffer | undefined;
  /** Why it is not an element. */
  readonly reason: string | undefined;
}

/** `nested`, `string` and `scalar`: within an element. */
type Place = "before" | "between" | "nested" | "string" | "scalar" | "behind";

/** Deeper brackets are only counted. An element of that depth is refused anyway. */
const DEPTH_KNOWN = 10_000;

const NO_JSON = "neither a JSON array nor an object";

const QUOTE = 0x22;
const COMMA = 0x2c;
const ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const BYTE_ORDER_MARK: readonly number[] = [0xef, 0xbb, 0xbf];

export class Pieces {
  readonly #gathered: Begun;
  readonly #bytesMax: number;
  #found: Piece[] = [];
  #place: Place = "before";
  #isArray = false;
  #isEscaped = false;
  /** The element is not in an array: it must be an object. */
  #isStray = false;
  /** The brackets that are open within the element. */
  readonly #open: number[] = [];
  /** How many of them are arrays, and how many more there are than are known. */
  #arrays = 0;
  #deeper = 0;
  #chunk: Buffer = Buffer.alloc(0);
  /** Where the chunk begins in the file, and the element in the chunk. */
  #offset = 0;
  #from = 0;
  /** Where the element begins in the file. */
  #begun = 0;

  constructor(bytesMax: number, recorded?: Recorded) {
    this.#gathered = begun(bytesMax, recorded, () => this.#begun);
    this.#bytesMax = bytesMax;
  }

  /** How many bytes were seen. */
  get offset(): number {
    return this.#offset;
  }

  /** The elements that end in this chunk; they may be views of it. */
  push(chunk: Buffer): Piece[] {
    this.#chunk = chunk;
    this.#from = 0;
    for (let at = 0; at < chunk.length; ) at = this.#step(at);
    if (this.#isWithin) this.#gathered.add(chunk.subarray(this.#from));
    this.#offset += chunk.length;
    return this.#taken();
  }

  /** The remainder at the end of the file. */
  end(): Piece[] {
    this.#chunk = Buffer.alloc(0);
    this.#from = 0;
    // A number may continue; parsing shows whether anything else is incomplete.
    if (this.#isWithin) this.#finish(0, this.#place === "scalar" ? "cut off" : undefined);
    else if (this.#place === "before") this.#say(0, "is empty");
    else if (this.#place === "between" && this.#isArray) this.#say(0, "cut off: the array does not end");
    return this.#taken();
  }

  get #isWithin(): boolean {
    return this.#place === "nested" || this.#place === "string" || this.#place === "scalar";
  }

  #taken(): Piece[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #step(at: number): number {
    switch (this.#place) {
      case "nested":
        return this.#nested(at);
      case "string":
        return this.#string(at);
      case "scalar":
        return this.#scalar(at);
      default:
        return this.#outside(at);
    }
  }

  #outside(at: number): number {
    const byte = this.#chunk[at] as number;
    if (byte <= 0x20 || (this.#place === "before" && BYTE_ORDER_MARK.includes(byte))) return at + 1;
    if (byte === ARRAY && this.#place !== "between") {
      this.#isArray = true;
      this.#place = "between";
      return at + 1;
    }
    if (byte === ARRAY_END && this.#place === "between") {
      this.#place = "behind";
      return at + 1;
    }
    if (byte === COMMA) {
      if (this.#place !== "between") this.#say(at, "continues after the end of the array");
      this.#place = "between";
      return at + 1;
    }
    return this.#begin(at, byte);
  }

  #begin(at: number, byte: number): number {
    this.#from = at;
    this.#isStray = this.#place !== "between";
    const isNested = byte === OBJECT || byte === ARRAY;
    this.#place = isNested ? "nested" : byte === QUOTE ? "string" : "scalar";
    return isNested ? at : at + 1;
  }

  #nested(from: number): number {
    const chunk = this.#chunk;
    for (let at = from; at < chunk.length; at++) {
      switch (chunk[at]) {
        case QUOTE:
          this.#place = "string";
          return at + 1;
        case OBJECT:
        case ARRAY:
          this.#opened(chunk[at] as number);
          break;
        case OBJECT_END:
          if (this.#closed(OBJECT)) return this.#finish(at + 1);
          break;
        case ARRAY_END:
          // Nothing within the element was opened by it: the whole array ends, and the element never did.
          if (this.#isArray && this.#deeper === 0 && this.#arrays === 0) return this.#finish(at);
          if (this.#closed(ARRAY)) return this.#finish(at + 1);
          break;
      }
    }
    return chunk.length;
  }

  #opened(byte: number): void {
    if (this.#open.length >= DEPTH_KNOWN) this.#deeper++;
    else if (this.#open.push(byte) && byte === ARRAY) this.#arrays++;
  }

  /**
   * Whether the element ends with this bracket. Where another one should have
   * been closed first, that one is taken as closed: the damage stays within
   * the element.
   */
  #closed(opening: number): boolean {
    if (this.#deeper > 0) {
      this.#deeper--;
      return false;
    }
    // Without a search when nothing is open: a file of brackets only must not take forever.
    const isOpen = opening === ARRAY ? this.#arrays > 0 : this.#arrays < this.#open.length;
    while (isOpen) {
      const last = this.#open.pop();
      if (last === ARRAY) this.#arrays--;
      if (last === opening) break;
    }
    return this.#open.length === 0;
  }

  #string(from: number): number {
    const chunk = this.#chunk;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      // No string goes over the end of a line: where one seems to, its closing quote was lost.
      else if (byte === QUOTE || byte === NEWLINE) {
        if (this.#open.length === 0) return this.#finish(at + 1);
        this.#place = "nested";
        return at + 1;
      }
    }
    return chunk.length;
  }

  #scalar(from: number): number {
    const chunk = this.#chunk;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte === COMMA || byte === ARRAY_END || byte === OBJECT || byte === ARRAY) return this.#finish(at);
    }
    return chunk.length;
  }

  /** The element goes up to `end`. */
  #finish(end: number, reason?: string): number {
    const last = this.#chunk.subarray(this.#from, end);
    const offset = this.#offset + this.#from - this.#gathered.length;
    const length = this.#gathered.length + last.length;
    let bytes: Buffer | undefined = last;
    if (this.#gathered.length > 0) {
      this.#begun = offset;
      this.#gathered.add(last);
      bytes = this.#gathered.take();
    } else if (length > this.#bytesMax) bytes = undefined;
    const isNoJson = this.#isStray && this.#place === "scalar";
    this.#found.push({ offset, length, bytes, reason: isNoJson ? NO_JSON : reason });
    this.#open.length = 0;
    this.#arrays = 0;
    this.#deeper = 0;
    this.#isEscaped = false;
    this.#place = this.#isArray ? "between" : "behind";
    return end;
  }

  #say(at: number, reason: string): void {
    this.#found.push({ offset: this.#offset + at, length: 0, bytes: undefined, reason });
  }
}
