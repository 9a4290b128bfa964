/**
 * A map that remembers only the newest keys, at least half of `max`.
 *
 * The keys are kept in two halves, and the older one is dropped as a whole:
 * removing the oldest key from one map again and again becomes slow, because the
 * engine steps over all removed slots.
 */
export class Recent<Value> {
  readonly #halfMax: number;
  #old: Map<string, Value> = new Map();
  #young: Map<string, Value> = new Map();

  constructor(max: number) {
    this.#halfMax = Math.ceil(max / 2);
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key);
    return value === undefined ? this.#old.get(key) : value;
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#halfMax) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** The newest entries, oldest first. */
  last(count: number): (readonly [string, Value])[] {
    return [...this.#old, ...this.#young].slice(-count);
  }
}
