import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FairTurns } from "./fair-turns.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"], now: 10_000 });
  vi.advanceTimersByTime(10_000);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Write without pause, and count the writes before others must be let in. */
function writesOf(turns: FairTurns, max = 100): number {
  for (let count = 0; count < max; count++) {
    if (turns.isOver) return count;
    vi.advanceTimersByTime(1);
    turns.released();
  }
  return max;
}

describe("a process that writes all the time", () => {
  it("never pauses as long as it is alone", () => {
    expect(writesOf(new FairTurns(), 5000)).toBe(5000);
  });

  it("lets others in once it has met them", () => {
    const turns = new FairTurns();
    turns.contended();
    expect(writesOf(turns)).toBe(20);
    vi.advanceTimersByTime(3);
    expect(writesOf(turns)).toBe(20);
  });

  it("forgets others that do not come back", () => {
    const turns = new FairTurns();
    turns.contended();
    vi.advanceTimersByTime(1000);
    expect(writesOf(turns)).toBe(100);
  });

  it("owes no pause after one that it made anyway", () => {
    const turns = new FairTurns();
    turns.contended();
    expect(writesOf(turns, 15)).toBe(15);
    vi.advanceTimersByTime(5);
    expect(writesOf(turns, 15)).toBe(15);
  });
});
