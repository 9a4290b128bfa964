import { ColloquyError } from "../../errors.ts";
import { retryAfterOf } from "./failures.ts";
import { type EmbeddingProvider, wrapped } from "./provider.ts";
import type { Timing } from "./timing.ts";

/** When the provider names no time. */
const DEFAULT_MS = 60_000;

/** After `RATE_LIMITED`, leave the provider alone for as long as it asked. Until then calls fail at once. */
export function cooling(provider: EmbeddingProvider, timing: Timing): EmbeddingProvider {
  let untilMs = 0;
  return wrapped(provider, async (texts, options) => {
    const restMs = untilMs - timing.nowMs();
    if (restMs > 0) throw limited(provider.name, restMs);
    try {
      return await provider.embedBatch(texts, options);
    } catch (error) {
      if (!(error instanceof ColloquyError) || error.code !== "RATE_LIMITED") throw error;
      // Requests that run at the same time may bring different times: the longest counts.
      untilMs = Math.max(untilMs, timing.nowMs() + (retryAfterOf(error) ?? DEFAULT_MS));
      throw limited(provider.name, untilMs - timing.nowMs());
    }
  });
}

function limited(name: string, retryAfterMs: number): ColloquyError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new ColloquyError("RATE_LIMITED", `${name} allows no more requests for the next ${seconds} s`, {
    details: { retryAfterMs },
  });
}
