import { describe, expect, it } from "vitest";
import { freeStem, stemOf } from "./names.ts";

describe("names of conversation files", () => {
  const NOW_MS = Date.UTC(2026, 11, 31, 23, 59, 59, 999);

  it("are 17 digits of the time", () => {
    expect(freeStem(NOW_MS, () => false)).toBe("20261231235959999");
  });

  it("never collide in one millisecond", () => {
    const taken = new Set<string>();
    for (let count = 0; count < 300; count++) taken.add(freeStem(NOW_MS, (stem) => taken.has(stem)));
    expect(taken.size).toBe(300);
    for (const stem of taken) expect(stem).toMatch(/^\d{17}$/);
  });

  it.each([
    ["20261231235959999.jsonl", "20261231235959999"],
    ["20261231235959999.meta.json", "20261231235959999"],
    ["20261231235959999.meta.json.bak", undefined],
    ["20261231235959999.jsonl.torn-20270101000000000", undefined],
    ["notes.jsonl", undefined],
    ["2026123123595999.jsonl", undefined],
    ["store.json", undefined],
  ])("identify the conversation of a file: %s", (name, stem) => {
    expect(stemOf(name)).toBe(stem);
  });
});
