import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../util/text-width.ts";
import { cutNames } from "./cut-names.ts";

describe("cut names", () => {
  it.each([
    [["discord:dm:42"], 13, ["discord:dm:42"]],
    [["discord:dm:42"], 8, ["disc…:42"]],
    [["0198c0de-1111-7222-8333-444455556666"], 13, ["0198c0…556666"]],
    [["web:aaaaaaaaaaaa:1", "web:aaaaaaaaaaaa:2"], 9, ["web:…aa:1", "web:…aa:2"]],
    // Both ends are equal: more of one end is shown, or a part in the middle.
    [["web:1-the-end", "web:2-the-end"], 8, ["web:1…nd", "web:2…nd"]],
    [["web:aaaa1aaaaaaa", "web:aaaa2aaaaaaa"], 8, ["…:aaaa1…", "…:aaaa2…"]],
    [["a".repeat(30), "a".repeat(31)], 8, ["aaaaaa…1", "aaaaaa…2"]],
    [["web:日本語日本語日本語"], 11, ["web:…本語"]],
  ])("of %j in %i columns are %j", (names, columns, cuts) => {
    expect(cutNames(names, columns)).toEqual(cuts);
  });

  it("fit, and never look the same if they differ", () => {
    const letter = fc.constantFrom("a", "b", ":", "日", "👨‍👩‍👧", "e\u0301");
    const name = fc.array(letter, { maxLength: 30 }).map((letters) => letters.join(""));
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(names, fc.integer({ min: 8, max: 40 }), (given, columns) => {
        const cuts = cutNames(given, columns);
        expect(new Set(cuts).size).toBe(given.length);
        expect(cuts.filter((cut) => widthOf(cut) > columns)).toEqual([]);
      }),
    );
  });
});
