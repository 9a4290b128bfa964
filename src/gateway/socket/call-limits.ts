/** How often each method may be called. */
import { ColloquyError } from "../../errors.ts";

const MINUTE_MS = 60_000;
/** Refused requests a minute. More than that is an attack, not a mistake. */
const REFUSED_MAX = 300;

interface Bucket {
  left: number;
  atMs: number;
}

export class CallLimits {
  readonly #buckets = new Map<string, Bucket>();

  /** Throws if a method is called too often. What was not used in a pause can be used at once, up to a minute's worth. */
  take(method: string, perMinute: number): void {
    if (this.#has(method, perMinute)) return;
    throw new ColloquyError("RATE_LIMITED", `${method} was called too often. Wait a moment`, {
      field: "method",
    });
  }

  /** Counts a refused request. `false`: there were too many of them. */
  refused(): boolean {
    return this.#has("", REFUSED_MAX);
  }

  /** Whether forgetting it changes nothing. */
  isIdle(nowMs: number): boolean {
    return [...this.#buckets.values()].every(({ atMs }) => nowMs - atMs >= MINUTE_MS);
  }

  #has(name: string, perMinute: number): boolean {
    const nowMs = performance.now();
    const bucket = this.#buckets.get(name) ?? { left: perMinute, atMs: nowMs };
    this.#buckets.set(name, bucket);
    bucket.left = Math.min(perMinute, bucket.left + ((nowMs - bucket.atMs) / MINUTE_MS) * perMinute);
    bucket.atMs = nowMs;
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }
}
