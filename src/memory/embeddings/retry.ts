import { isPassing, retryAfterOf } from "./failures.ts";
import { type EmbeddingProvider, wrapped } from "./provider.ts";
import type { Timing } from "./timing.ts";

const ATTEMPTS = 4;
const FIRST_MS = 250;
const LONGEST_MS = 8000;

/**
 * Repeat a request that failed on the way, or inside the server: at most three
 * times, after pauses that double. Half of each pause is random, so that many
 * clients of a server that comes back do not all come back at once.
 */
export function retrying(provider: EmbeddingProvider, timing: Timing): EmbeddingProvider {
  return wrapped(provider, async (texts, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await provider.embedBatch(texts, options);
      } catch (error) {
        const pauseMs = Math.max(pauseBefore(attempt, timing.random()), retryAfterOf(error) ?? 0);
        if (attempt === ATTEMPTS || !isPassing(error) || pauseMs > LONGEST_MS) throw error;
        await timing.sleep(pauseMs, options?.signal);
      }
    }
  });
}

function pauseBefore(attempt: number, random: number): number {
  const ms = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  return ms / 2 + (ms / 2) * random;
}
