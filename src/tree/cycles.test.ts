import { expect, it } from "vitest";
import { entriesInCycles } from "./cycles.ts";

function circular(parents: Record<string, string | null>): string[] {
  return [...entriesInCycles(new Map(Object.entries(parents)))].sort();
}

it("finds circles, and not what leads into one or comes later", () => {
  expect(circular({ a: null, b: "a", c: "d", d: null })).toEqual([]);
  expect(circular({ a: "a", b: "a" })).toEqual(["a"]);
  expect(circular({ x: "b", a: null, b: "c", c: "b", y: "c" })).toEqual(["b", "c"]);
  expect(circular({ a: "d", b: "a", c: "b", d: "c", e: "lost", f: "e" })).toEqual(["a", "b", "c", "d"]);
});

it("takes time in proportion to the entries", () => {
  const ids = Array.from({ length: 200_000 }, (_, index) => String(index));
  const parents = new Map(ids.map((id, index) => [id, ids[index + 1] ?? null] as const));
  expect(entriesInCycles(parents).size).toBe(0);
  expect(entriesInCycles(new Map([...parents, [ids.at(-1) as string, "0"]])).size).toBe(ids.length);
});
