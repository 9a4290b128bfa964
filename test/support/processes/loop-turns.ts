import { vi } from "vitest";

/**
 * How often the event loop turns during the work. Every look at the clock takes a millisecond, so that the result
 * does not depend on the speed of the machine.
 */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ++nowMs);
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    isDone = true;
    clock.mockRestore();
  }
  return turns;
}
