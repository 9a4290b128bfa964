/** The same answer for a while, and one question at a time. */
export function recent<T>(ask: () => Promise<T>, forMs: number): () => Promise<T> {
  let last: Promise<T> | undefined;
  let untilMs = 0;
  return () => {
    if (last !== undefined && performance.now() < untilMs) return last;
    untilMs = Number.POSITIVE_INFINITY;
    last = ask().finally(() => {
      untilMs = performance.now() + forMs;
    });
    return last;
  };
}
