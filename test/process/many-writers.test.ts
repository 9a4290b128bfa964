import { describe, expect, it } from "vitest";
import { manyWriters } from "../torture/many-writers.ts";

/** `npm run torture -- --writers` does it with 5,000 appends each. */
describe.each(["sqlite", "jsonl"] as const)("eight processes on one %s store", (engine) => {
  it("lose nothing, keep each writer's order and never interleave a batch", async () => {
    const result = await manyWriters({ engine, processes: 8, appends: 500, durability: "full" });
    expect(result.problems).toEqual([]);
    expect(result.appends).toBeGreaterThanOrEqual(4000);
  }, 60_000);
});
