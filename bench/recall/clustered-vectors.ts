/**
 * Vectors as embedding models make them: around topics, and all of them a little to one side.
 *
 * In uniform noise every vector is as far from every other as can be, and the
 * "nearest" ones mean nothing. Here they are from the same topic as the query,
 * with hundreds of others close behind, which is the hard case for bits.
 */
export class ClusteredVectors {
  readonly #dimensions: number;
  readonly #centres: readonly Float32Array[];
  #state: number;

  constructor(dimensions: number, topics: number, seed = 42) {
    this.#dimensions = dimensions;
    this.#state = seed;
    const side = this.#noise(0.5);
    this.#centres = Array.from({ length: topics }, () =>
      this.#noise(1).map((value, index) => value + (side[index] as number)),
    );
  }

  next(): Float32Array {
    const centre = this.#centres[Math.floor(this.#random() * this.#centres.length)] as Float32Array;
    const vector = this.#noise(0.8).map((value, index) => value + (centre[index] as number));
    let square = 0;
    for (const value of vector) square += value * value;
    const length = Math.sqrt(square);
    return vector.map((value) => value / length);
  }

  /** Close enough to a normal distribution, and fast. */
  #noise(scale: number): Float32Array {
    const noise = new Float32Array(this.#dimensions);
    for (let index = 0; index < noise.length; index++) {
      noise[index] = (this.#random() + this.#random() + this.#random() - 1.5) * 2 * scale;
    }
    return noise;
  }

  /** Mulberry32: the same vectors in every run. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
