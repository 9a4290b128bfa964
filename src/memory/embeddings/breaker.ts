import { unavailable } from "../../errors.ts";
import { isBreakdown } from "./failures.ts";
import { type EmbeddingProvider, wrapped } from "./provider.ts";
import type { Timing } from "./timing.ts";

const FAILURES_MAX = 5;
const FIRST_MS = 30_000;
const LONGEST_MS = 5 * 60_000;

/**
 * Stop asking a provider that fails again and again.
 *
 * After five failures in a row the breaker opens: calls fail at once for 30
 * seconds. Then it is half open, and one call is let through as a trial. If
 * that succeeds the breaker closes, otherwise it opens for twice as long.
 */
export function breaking(provider: EmbeddingProvider, timing: Timing): EmbeddingProvider {
  const breaker = new Breaker(timing);
  return wrapped(provider, async (texts, options) => {
    const waitMs = breaker.waitMs();
    if (waitMs > 0) {
      const message = `${provider.name} failed repeatedly; it is asked again in ${Math.ceil(waitMs / 1000)} s`;
      throw unavailable(message, { details: { retryAfterMs: waitMs } });
    }
    breaker.begin();
    try {
      const vectors = await provider.embedBatch(texts, options);
      breaker.succeeded();
      return vectors;
    } catch (error) {
      if (isBreakdown(error, options)) breaker.failed();
      else breaker.ended();
      throw error;
    }
  });
}

class Breaker {
  readonly #timing: Timing;
  #failures = 0;
  #openForMs = 0;
  #openUntilMs = 0;
  #isTrying = false;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** How long calls are refused; 0 if they are not. */
  waitMs(): number {
    if (this.#openForMs === 0) return 0;
    const restMs = this.#openUntilMs - this.#timing.nowMs();
    // While a trial is running, everything else waits for its end.
    return restMs > 0 ? restMs : this.#isTrying ? this.#openForMs : 0;
  }

  begin(): void {
    this.#isTrying = this.#openForMs > 0;
  }

  /** A call that says nothing about the provider. */
  ended(): void {
    this.#isTrying = false;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openForMs = 0;
    this.#isTrying = false;
  }

  failed(): void {
    this.#failures++;
    const isTrial = this.#isTrying;
    this.#isTrying = false;
    if (!isTrial && (this.#failures < FAILURES_MAX || this.#openForMs > 0)) return;
    this.#openForMs = Math.min(Math.max(FIRST_MS, this.#openForMs * 2), LONGEST_MS);
    this.#openUntilMs = this.#timing.nowMs() + this.#openForMs;
  }
}
