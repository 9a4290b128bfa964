import { type EmbeddingProvider, wrapped } from "./provider.ts";

export interface BatchLimits {
  /** Texts in one request. */
  readonly texts: number;
  /** Characters in one request, unless a single text has more. */
  readonly chars: number;
  /** Requests at the same time, over all callers. */
  readonly requests: number;
}

export const BATCH_LIMITS: BatchLimits = { texts: 96, chars: 200_000, requests: 4 };

/** Split many texts into requests of a bounded size. The vectors are in the order of the texts. */
export function batching(provider: EmbeddingProvider, limits: BatchLimits = BATCH_LIMITS): EmbeddingProvider {
  const gate = new Gate(limits.requests);
  return wrapped(provider, async (texts, options) => {
    // The first failure ends the others: their result would be thrown away.
    const stop = new AbortController();
    const given = options?.signal;
    const signal = given === undefined ? stop.signal : AbortSignal.any([given, stop.signal]);
    const requests = split(texts, limits).map((batch) =>
      gate.enter(async () => {
        signal.throwIfAborted();
        try {
          return await provider.embedBatch(batch, { ...options, signal });
        } catch (error) {
          stop.abort(error);
          throw error;
        }
      }),
    );
    try {
      return (await Promise.all(requests)).flat();
    } finally {
      await Promise.allSettled(requests);
    }
  });
}

function split(texts: readonly string[], limits: BatchLimits): string[][] {
  const batches: string[][] = [];
  let chars = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    chars += text.length;
    if (last === undefined || last.length === limits.texts || chars > limits.chars) {
      batches.push([text]);
      chars = text.length;
    } else last.push(text);
  }
  return batches;
}

/** Lets a limited number of tasks run at the same time, in the order in which they came. */
class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(free: number) {
    this.#free = free;
  }

  async enter<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
