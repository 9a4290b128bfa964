import { describe, expect, it } from "vitest";
import { chartOf, everyDay, niceMax } from "./chart.ts";

describe("everyDay", () => {
  it("fills the days without messages, over the end of a month", () => {
    const rows = [{ day: "2026-02-28", messages: 4 }];
    expect(everyDay(rows, "2026-02-27", "2026-03-01", ({ messages }) => messages)).toEqual([
      { day: "2026-02-27", value: 0 },
      { day: "2026-02-28", value: 4 },
      { day: "2026-03-01", value: 0 },
    ]);
  });
});

describe("niceMax", () => {
  it("is round and not below the value", () => {
    expect([0, 1, 3, 7, 12, 99, 100, 101, 0.013].map(niceMax)).toEqual([1, 1, 4, 8, 20, 100, 100, 200, 0.02]);
  });
});

describe("chartOf", () => {
  const size = { width: 600, height: 120 };
  const days = Array.from({ length: 30 }, (_, index) => ({ day: `d${index}`, value: index }));

  it("draws one bar a day inside its area, and nothing for zero", () => {
    const { bars, ticks } = chartOf(days, size);
    expect(bars[0]?.height).toBe(0);
    for (const { x, width, y, height } of bars) {
      expect(x + width).toBeLessThanOrEqual(600);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeCloseTo(120);
    }
    expect(ticks.map(({ value }) => value)).toEqual([0, 20, 40]);
  });

  it("leaves room for the names of the days", () => {
    expect(chartOf(days, size).labelEvery).toBe(4);
    expect(chartOf(days.slice(0, 3), size).labelEvery).toBe(1);
  });

  it("shows a small value beside a large one", () => {
    const { bars } = chartOf(
      [
        { day: "a", value: 1 },
        { day: "b", value: 1e9 },
      ],
      size,
    );
    expect(bars[0]?.height).toBe(1);
  });
});
