import { describe, expect, it } from "vitest";
import { entry } from "../../../test/support/agent-folder.ts";
import { fc } from "../../../test/support/fast-check.ts";
import type { SessionStore } from "./entry.ts";
import { mergeStores } from "./merge.ts";

const base = { "cli:x": entry("a", 10, { label: "was", model: "m", totalTokens: 5 }) };
const [A, B] = ["0198c0de-1111-7222-8333-444455556666", "0198c0de-1111-7222-8333-444455557777"] as const;

describe("two who changed one index", () => {
  it("both have their fields", () => {
    const ours = { "cli:x": { ...base["cli:x"], label: "ours", updatedAt: 11 } };
    const theirs = { "cli:x": { ...base["cli:x"], model: "theirs", updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("a", 12, { label: "ours", model: "theirs", totalTokens: 5 }),
    });
  });

  it("and one field: the entry that was updated last has it", () => {
    const ours = { "cli:x": entry("a", 11, { label: "ours" }) };
    const theirs = { "cli:x": entry("a", 12, { label: "theirs" }) };
    const merged = { "cli:x": entry("a", 12, { label: "theirs" }) };
    expect(mergeStores(base, ours, theirs)).toEqual(merged);
    expect(mergeStores(base, theirs, ours)).toEqual(merged);
  });

  it("a field that one took away stays away", () => {
    const ours = { "cli:x": entry("a", 11, { model: "m", totalTokens: 5 }) };
    const theirs = { "cli:x": { ...base["cli:x"], totalTokens: 9, updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("a", 12, { model: "m", totalTokens: 9 }),
    });
  });

  it("deletions survive, on either side and whatever the other changed", () => {
    const changed = { "cli:x": { ...base["cli:x"], label: "changed", updatedAt: 99 } };
    expect(mergeStores(base, {}, base)).toEqual({});
    expect(mergeStores(base, base, {})).toEqual({});
    expect(mergeStores(base, {}, changed)).toEqual({});
    expect(mergeStores(base, changed, {})).toEqual({});
  });

  it("a new conversation under a key that the other deleted is kept", () => {
    const begun = { "cli:x": entry("b", 20) };
    expect(mergeStores(base, begun, {})).toEqual(begun);
    expect(mergeStores(base, {}, begun)).toEqual(begun);
  });

  it("counters of the old conversation do not become those of the new one", () => {
    const ours = { "cli:x": entry("b", 11, { label: "was", model: "m", totalTokens: 0 }) };
    const theirs = { "cli:x": { ...base["cli:x"], totalTokens: 900, thinkingLevel: "high", updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("b", 12, { label: "was", model: "m", totalTokens: 0, thinkingLevel: "high" }),
    });
  });

  it("two new conversations under one key are both kept", () => {
    expect(mergeStores({}, { "cli:x": entry(A, 1) }, { "cli:x": entry(B, 2) })).toEqual({
      "cli:x": entry(B, 2),
      [`cli:x~${A}`]: entry(A, 1),
    });
  });

  it("nothing counts as deleted when it is not known what was loaded", () => {
    expect(mergeStores(undefined, { "cli:y": entry("b", 1) }, base)).toEqual({
      ...base,
      "cli:y": entry("b", 1),
    });
  });

  it("changes to different entries are all there", () => {
    const keys = fc.constantFrom("cli:a", "cli:b", "cli:c", "cli:d", "cli:e", "cli:f");
    const store = fc.dictionary(
      keys,
      fc.nat(9).map((n) => entry("id", 1, { label: `${n}` })),
    );
    fc.assert(
      fc.property(
        store,
        store,
        fc.subarray(["cli:a", "cli:b", "cli:c", "cli:d", "cli:e", "cli:f"]),
        (from, to, mine) => {
          // Mine has what I own from `to`, theirs has the rest.
          const side = (owned: (key: string) => boolean): SessionStore =>
            Object.fromEntries(
              ["cli:a", "cli:b", "cli:c", "cli:d", "cli:e", "cli:f"].flatMap((key) => {
                const value = owned(key) ? to[key] : from[key];
                return value === undefined ? [] : [[key, value]];
              }),
            );
          const ours = side((key) => mine.includes(key));
          const theirs = side((key) => !mine.includes(key));
          expect(mergeStores(from, ours, theirs)).toEqual({ ...to });
        },
      ),
    );
  });
});
