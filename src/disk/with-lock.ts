import { type ColloquyError, unavailable } from "../errors.ts";
import { LOCK_WAIT_MS, waitUntil, waitUntilSync } from "../util/wait.ts";
import type { FileLock } from "./file-io.ts";

/** Run `work` under the lock. A caller that waits longer than `waitMs` gives up with an error that names the holder. */
export function withLockSync<T>(
  lock: FileLock,
  what: string,
  work: () => T,
  waitMs: number = LOCK_WAIT_MS,
): T {
  if (!waitUntilSync(() => lock.tryAcquire(), waitMs)) throw gaveUp(lock, what, waitMs);
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** `withLockSync` without blocking the thread while it waits. */
export async function withLock<T>(
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
