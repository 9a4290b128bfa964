/** Lines out of chunks of bytes. A line that is too long is an error before it fills the memory. */
export class LineBuffer {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The lines that are complete now. */
  *add(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      this.#push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#bytes = 0;
      from = at + 1;
      yield line;
    }
    this.#push(chunk.subarray(from));
  }

  #push(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw new RangeError("The line is too long");
    if (part.length > 0) this.#parts.push(part);
  }
}
