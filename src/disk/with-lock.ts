import { type ColloquyError, unavailable } from "../errors.ts";
import { LOCK_WAIT_MS, waitUntil, waitUntilSync } from "../util/wait.ts";
import type { FileLock } from "./file-io.ts";

/** Do something under the lock. Whoever waits longer than `waitMs` gives up and says who has it. */
export function lockedSync<T>(lock: FileLock, what: string, work: () => T, waitMs: number = LOCK_WAIT_MS): T {
  if (!waitUntilSync(() => lock.tryAcquire(), waitMs)) throw gaveUp(lock, what, waitMs);
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** The same for work that does not stop the thread while it waits. */
export async function locked<T>(
  lock: FileLock,
  what: string,
  work: () => Promise<T> | T,
  waitMs: number = LOCK_WAIT_MS,
): Promise<T> {
  if (!(await waitUntil(() => lock.tryAcquire(), waitMs))) throw gaveUp(lock, what, waitMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

function gaveUp(lock: FileLock, what: string, waitMs: number): ColloquyError {
  const holder = lock.holder();
  return unavailable(`${what} is locked by ${holder}; gave up after ${Math.round(waitMs / 100) / 10} s`, {
    details: { holder },
  });
}
