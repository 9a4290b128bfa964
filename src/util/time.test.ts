import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { isoTime, parseTime, timeOf, timestamp17 } from "./time.ts";

describe("times", () => {
  it("are written as the language itself writes them", () => {
    const anywhere = fc.integer({ min: -8.64e15, max: 8.64e15 });
    const nearby = fc.integer({ min: 0, max: Date.UTC(10_001, 0) });
    fc.assert(
      fc.property(fc.oneof(anywhere, nearby), (ms) => {
        expect(isoTime(ms)).toBe(new Date(ms).toISOString());
        expect(timeOf(isoTime(ms))).toBe(ms);
      }),
      { numRuns: 2000 },
    );
  });

  it("of one day after another, and of one instant twice, are right too", () => {
    for (const ms of [0, 1, 1, 999, 86_399_999, 86_400_000, 0, Date.UTC(2024, 1, 29, 23, 59, 59, 999)]) {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    }
  });

  it("that are invalid are undefined", () => {
    expect([parseTime("yesterday"), parseTime(1), parseTime(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("become 17 digits for file names", () => {
    expect(timestamp17(Date.UTC(2025, 0, 21, 19, 30, 0, 1))).toBe("20250121193000001");
  });
});
