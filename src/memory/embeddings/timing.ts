import { setTimeout as sleep } from "node:timers/promises";

/** Time and chance, which tests replace. */
export interface Timing {
  nowMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

export const systemTiming: Timing = {
  nowMs: Date.now,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, { signal });
    } catch {
      throw signal?.reason;
    }
  },
  random: Math.random,
};
