import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 120_000;

/** Waits for a condition instead of a time: a busy machine only takes longer. */
export async function until(
  condition: () => boolean,
  what: () => string = () => String(condition),
): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; !condition(); await sleep(5)) {
    if (performance.now() > deadline) throw new Error(`Still not true after two minutes: ${what()}`);
  }
}
