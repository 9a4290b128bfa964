/** How long a reading may be used again while its files look the same. */
const CACHE_TTL_MS = 45_000;

const ENTRIES_MAX = 32;

/** Values by key, for a limited time. Beyond 32 entries the one that was set first is dropped. */
export class TimedCache<T> {
  readonly #entries = new Map<string, { readonly value: T; readonly atMs: number }>();

  get(key: string, nowMs: number, ttlMs: number = CACHE_TTL_MS): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const ageMs = nowMs - entry.atMs;
    // A clock that was set back says nothing about the age.
    return ageMs >= 0 && ageMs < ttlMs ? entry.value : undefined;
  }

  set(key: string, value: T, nowMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, atMs: nowMs });
    if (this.#entries.size > ENTRIES_MAX) this.#entries.delete(this.#entries.keys().next().value as string);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
