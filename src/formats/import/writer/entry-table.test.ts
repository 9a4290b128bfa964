import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { collectGarbage } from "../../../../test/support/collect-garbage.ts";
import { EntryTable } from "./entry-table.ts";

/** Enough for all shards to grow, twice. */
const COUNT = 60_000;
const STEP = 7;
const name = (index: number): string => `00000000-0000-4000-8000-${index}`;
const print = (index: number): string => hash("sha1", `content ${index}`, "base64").slice(0, 16);

it("knows many entries, with their places and fingerprints, and no others", () => {
  const table = new EntryTable();
  expect(table.get(name(0))).toBeUndefined();
  for (let index = 0; index < COUNT; index++) table.set(name(index), index, index % 3 === 0, print(index));
  for (let index = 0; index < COUNT; index += STEP) {
    expect(table.get(name(index))).toEqual({ seq: index, isAlias: index % 3 === 0 });
    expect(table.holds(name(index), print(index))).toBe(true);
    expect(table.holds(name(index), print(index + 1))).toBe(false);
    expect(table.get(name(COUNT + index))).toBeUndefined();
    expect(table.holds(name(COUNT + index), print(index))).toBe(false);
  }
});

it("knows the last place that an entry was given", () => {
  const table = new EntryTable();
  table.set("a", 0, true, "");
  expect(table.get("a")).toEqual({ seq: 0, isAlias: true });
  expect(table.holds("a", "")).toBe(false);
  table.set("a", 2 ** 31 - 2, false, print(1));
  expect(table.get("a")).toEqual({ seq: 2 ** 31 - 2, isAlias: false });
  expect(table.holds("a", print(1))).toBe(true);
});

it("keeps the fingerprints of some entries while others have none", () => {
  const table = new EntryTable();
  const printOf = (index: number): string => (index > COUNT / 2 && index % 2 === 0 ? print(index) : "");
  for (let index = 0; index < COUNT; index++) table.set(name(index), index, false, printOf(index));
  for (let index = 0; index < COUNT; index += STEP) {
    expect(table.get(name(index))).toEqual({ seq: index, isAlias: false });
    expect(table.holds(name(index), print(index))).toBe(printOf(index) !== "");
  }
  table.set(name(COUNT - 2), 1, false, "");
  expect(table.holds(name(COUNT - 2), print(COUNT - 2))).toBe(false);
});

it("takes at most 20 bytes for each entry without a fingerprint", () => {
  const names = Array.from({ length: COUNT }, (_, index) => name(index));
  const before = bytesInUse();
  const table = new EntryTable();
  for (const [index, id] of names.entries()) table.set(id, index, false, "");
  const taken = bytesInUse() - before;
  expect(table.get(name(0))).toBeDefined();
  expect(taken / COUNT).toBeLessThan(20);
});

/** Buffers that one collection finds are freed when the next begins, at the latest. */
function bytesInUse(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}
