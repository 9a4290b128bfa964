import type { Recorded } from "./types.ts";

/** The beginning of a line or an element, until its end is read. */
export type Begun = Pick<Gathered, "length" | "isOver" | "add" | "take">;

/** `recorded`: the bytes that were read, for a source that is kept anyway; nothing is copied then. */
export function begun(bytesMax: number, recorded: Recorded | undefined, start: () => number): Begun {
  return recorded === undefined
    ? new Gathered(bytesMax)
    : new Counted(bytesMax, (bytes) => recorded(start(), bytes));
}

class Counted implements Begun {
  readonly #bytesMax: number;
  readonly #recorded: (bytes: number) => Buffer;
  length = 0;

  constructor(bytesMax: number, recorded: (bytes: number) => Buffer) {
    this.#bytesMax = bytesMax;
    this.#recorded = recorded;
  }

  get isOver(): boolean {
    return this.length > this.#bytesMax;
  }

  add(piece: Buffer): void {
    this.length += piece.length;
  }

  take(): Buffer | undefined {
    const taken = this.isOver ? undefined : this.#recorded(this.length);
    this.length = 0;
    return taken;
  }
}

/**
 * Joins pieces of bytes to a line or an element.
 *
 * Beyond the limit bytes are counted and no longer held. Growing frees the old
 * memory at once instead of at the next garbage collection, so that copies of
 * 64 MB lines do not pile up.
 */
class Gathered {
  readonly #bytesMax: number;
  #bytes: Buffer | undefined;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  get isOver(): boolean {
    return this.#length > this.#bytesMax;
  }

  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#bytesMax) this.#bytes = undefined;
    else {
      this.#bytes = grown(this.#bytes, length, this.#bytesMax);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  }

  /** The joined bytes, or `undefined` beyond the limit. The next piece starts over. */
  take(): Buffer | undefined {
    const taken = this.isOver ? undefined : (this.#bytes ?? Buffer.alloc(0)).subarray(0, this.#length);
    this.#bytes = undefined;
    this.#length = 0;
    return taken;
  }
}

/**
 * From here on in one large step: memory that is reserved and not written to
 * costs nothing, and blocks of this size go back to the system when they are
 * freed, which those of a few megabytes do not.
 */
const LARGE_BYTES = 4 * 1024 * 1024;
const STEP_BYTES = 64 * 1024 * 1024;

function grown(bytes: Buffer | undefined, length: number, bytesMax: number): Buffer {
  if (bytes === undefined) return Buffer.allocUnsafeSlow(length);
  if (length <= bytes.length) return bytes;
  const wanted = length > LARGE_BYTES ? Math.max(STEP_BYTES, bytes.length * 2) : bytes.length * 2;
  const larger = Buffer.allocUnsafeSlow(Math.min(bytesMax, Math.max(length, wanted)));
  bytes.copy(larger);
  (bytes.buffer as ArrayBuffer).transfer(0);
  return larger;
}
