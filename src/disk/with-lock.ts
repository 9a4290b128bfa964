import { type ColloquyError, unavailable } from "../errors.ts";
import { LOCK_WAIT_MS, waitUntil, waitUntilSync } from "../util/wait.ts";
import type { FileLock } from "./file-io.ts";

/**
 * Run `work` under the lock. A caller that waits longer than `waitMs` gives up with an error that names the holder.
 * The result is not returned if the lock file was removed or replaced in the meantime.
 */
export function withLockSync<T>(
  lock: FileLock,
  what: string,
  work: () => T,
  waitMs: number = LOCK_WAIT_MS,
): T {
  if (!waitUntilSync(() => lock.tryAcquire(), waitMs)) throw gaveUp(lock, what, waitMs);
  try {
    const result = work();
    checkHeld(lock, what);
    return result;
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
    const result = await work();
    checkHeld(lock, what);
    return result;
  } finally {
    lock.release();
  }
}

/** Call it before a write and before its acknowledgement: without its file, a lock excludes no other process. */
export function checkHeld(lock: Pick<FileLock, "isHeld">, what: string): void {
  if (lock.isHeld()) return;
  throw unavailable(
    `The lock file of ${what} was removed or replaced during a write, and another process may have written at the same time. Check what is stored and repeat what is missing`,
  );
}

function gaveUp(lock: FileLock, what: string, waitMs: number): ColloquyError {
  const holder = lock.holder();
  return unavailable(`${what} is locked by ${holder}; gave up after ${Math.round(waitMs / 100) / 10} s`, {
    details: { holder },
  });
}
