import { expect, it } from "vitest";
import { Recent } from "./recent.ts";

it("remembers the newest keys and forgets the oldest", () => {
  const recent = new Recent<number>(10);
  for (let index = 0; index < 23; index++) recent.set(`k${index}`, index);
  expect([recent.has("k14"), recent.get("k15"), recent.get("k22")]).toEqual([false, 15, 22]);
  expect(recent.last(3)).toEqual([
    ["k20", 20],
    ["k21", 21],
    ["k22", 22],
  ]);
});

it("returns the newer of two values, also before the older is forgotten", () => {
  const recent = new Recent<string | null>(4);
  recent.set("a", "old");
  recent.set("b", "x");
  recent.set("a", null);
  expect(recent.get("a")).toBeNull();
});
