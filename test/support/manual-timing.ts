import type { Timing } from "../../src/memory/index.ts";

/** Time that passes only when something sleeps, or when the test says so. */
export class ManualTiming implements Timing {
  readonly slept: number[] = [];
  #nowMs = Date.UTC(2026, 0, 1);

  nowMs = (): number => this.#nowMs;
  random = (): number => 0.5;

  sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.advance(ms);
  };

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
