import { setTimeout as sleep } from "node:timers/promises";

/** How long a process may keep a contended lock, with gaps that are too short for others. */
const TURN_MS = 20;
/** Longer than a waiter sleeps between two attempts. */
const PAUSE_MS = 3;
/** How long a lock counts as contended. */
const CONTENDED_FOR_MS = 1000;

/**
 * Lets the processes that share a lock take turns.
 *
 * A waiter tries every few milliseconds, and would hardly ever meet the
 * microseconds between two writes of a process that writes all the time. A
 * process that has met others therefore pauses now and then. One that is alone
 * never pauses.
 */
export class FairTurns {
  #contendedUntilMs = 0;
  #beganMs = 0;
  #releasedMs = 0;

  /** Whether the others must be let in first: `pause` before you take the lock. */
  get isOver(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#releasedMs >= PAUSE_MS) this.#beganMs = nowMs;
    return nowMs < this.#contendedUntilMs && nowMs - this.#beganMs >= TURN_MS;
  }

  /** Call it when another process has the lock. */
  contended(): void {
    this.#contendedUntilMs = performance.now() + CONTENDED_FOR_MS;
  }

  /** Call it after the lock was released. */
  released(): void {
    this.#releasedMs = performance.now();
  }

  async pause(): Promise<void> {
    await sleep(PAUSE_MS);
  }
}
