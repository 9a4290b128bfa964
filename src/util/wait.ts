import { setTimeout as sleep } from "node:timers/promises";

/** How long anybody waits for a lock before giving up with a clear error. */
export const LOCK_WAIT_MS = 10_000;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Ask until `attempt` answers true. False after `timeoutMs`.
 *
 * The pauses are short and random: a lock that busy writers pass around is
 * free for microseconds at a time, and long or regular pauses would starve
 * whoever keeps missing that moment.
 */
export async function waitUntil(attempt: () => boolean, timeoutMs: number): Promise<boolean> {
  if (attempt()) return true;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    await sleep(1 + Math.random() * 2);
    if (attempt()) return true;
  }
  return false;
}

/** The same for synchronous callers; the thread sleeps in between. */
export function waitUntilSync(attempt: () => boolean, timeoutMs: number): boolean {
  if (attempt()) return true;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    Atomics.wait(sleeper, 0, 0, 0.5 + Math.random() * 2);
    if (attempt()) return true;
  }
  return false;
}
