import { setTimeout as sleep } from "node:timers/promises";

/** How long to wait for a lock before failing with an error that names the holder. */
export const LOCK_WAIT_MS = 10_000;

/** The pause of work that lets every other writer go first. */
export const PATIENT_PAUSE_MS = 20;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/**
 * Repeat `attempt` until it returns true. Returns false after `timeoutMs`.
 *
 * The pauses are short and random: a contended lock is free for microseconds
 * at a time, and a waiter with long or regular pauses would starve.
 */
export async function waitUntil(
  attempt: () => boolean,
  timeoutMs: number,
  pauseMs: number = 1,
): Promise<boolean> {
  if (attempt()) return true;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    await sleep(pauseMs * (1 + Math.random() * 2));
    if (attempt()) return true;
  }
  return false;
}

/** `waitUntil` for synchronous callers; the thread sleeps in between. */
export function waitUntilSync(attempt: () => boolean, timeoutMs: number, pauseMs: number = 0.5): boolean {
  if (attempt()) return true;
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    Atomics.wait(sleeper, 0, 0, pauseMs * (1 + Math.random() * 4));
    if (attempt()) return true;
  }
  return false;
}
