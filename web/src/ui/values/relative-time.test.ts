import { expect, test } from "vitest";
import { relativeTime } from "./relative-time.ts";

const NOW = new Date(2026, 10, 18, 10, 0).getTime();
const ago = (...time: [day: number, hour: number, minute: number]): string =>
  relativeTime(new Date(2026, 10, ...time).getTime(), NOW);

test.each([
  [ago(18, 10, 0), "now"],
  [ago(18, 9, 48), "12 min ago"],
  [ago(17, 19, 0), "15 h ago"],
  [ago(17, 9, 0), "yesterday"],
])("tells how long ago something was: %s", (told, expected) => {
  expect(told).toBe(expected);
});

test("counts days of the calendar, not spans of 24 hours", () => {
  expect(ago(16, 20, 0)).toBe("2 days ago");
  expect(ago(12, 20, 0)).toBe("6 days ago");
  expect(ago(11, 20, 0)).toBe("Nov 11");
});

test("names the year of a time in another one", () => {
  expect(relativeTime(new Date(2025, 10, 18).getTime(), NOW)).toBe("Nov 18, 2025");
});
