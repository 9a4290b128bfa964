import { describe, expect, it } from "vitest";
import { entry } from "../../../test/support/agent-folder.ts";
import { fc } from "../../../test/support/fast-check.ts";
import type { SessionStore } from "./entry.ts";
import { mergeStores } from "./merge.ts";

const base = { "cli:x": entry("a", 10, { label: "was", model: "m", totalTokens: 5 }) };
const [A, B] = ["0198c0de-1111-7222-8333-444455556666", "0198c0de-1111-7222-8333-444455557777"] as const;

describe("two processes that changed one index", () => {
  it("keep the fields of both", () => {
    const ours = { "cli:x": { ...base["cli:x"], label: "ours", updatedAt: 11 } };
    const theirs = { "cli:x": { ...base["cli:x"], model: "theirs", updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("a", 12, { label: "ours", model: "theirs", totalTokens: 5 }),
    });
  });

  it("take a field that both changed from the entry that was updated last", () => {
    const ours = { "cli:x": entry("a", 11, { label: "ours" }) };
    const theirs = { "cli:x": entry("a", 12, { label: "theirs" }) };
    const merged = { "cli:x": entry("a", 12, { label: "theirs" }) };
    expect(mergeStores(base, ours, theirs)).toEqual(merged);
    expect(mergeStores(base, theirs, ours)).toEqual(merged);
  });

  it("do not restore a field that one of them removed", () => {
    const ours = { "cli:x": entry("a", 11, { model: "m", totalTokens: 5 }) };
    const theirs = { "cli:x": { ...base["cli:x"], totalTokens: 9, updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("a", 12, { model: "m", totalTokens: 9 }),
    });
  });

  it("keep deletions, on either side and whatever the other changed", () => {
    const changed = { "cli:x": { ...base["cli:x"], label: "changed", updatedAt: 99 } };
    expect(mergeStores(base, {}, base)).toEqual({});
    expect(mergeStores(base, base, {})).toEqual({});
    expect(mergeStores(base, {}, changed)).toEqual({});
    expect(mergeStores(base, changed, {})).toEqual({});
  });

  it("keep a new conversation under a key that the other deleted", () => {
    const begun = { "cli:x": entry("b", 20) };
    expect(mergeStores(base, begun, {})).toEqual(begun);
    expect(mergeStores(base, {}, begun)).toEqual(begun);
  });

  it("do not carry counters of the old conversation over to the new one", () => {
    const ours = { "cli:x": entry("b", 11, { label: "was", model: "m", totalTokens: 0 }) };
    const theirs = { "cli:x": { ...base["cli:x"], totalTokens: 900, thinkingLevel: "high", updatedAt: 12 } };
    expect(mergeStores(base, ours, theirs)).toEqual({
      "cli:x": entry("b", 12, { label: "was", model: "m", totalTokens: 0, thinkingLevel: "high" }),
    });
  });

  it("keep two new conversations under one key", () => {
    expect(mergeStores({}, { "cli:x": entry(A, 1) }, { "cli:x": entry(B, 2) })).toEqual({
      "cli:x": entry(B, 2),
      [`cli:x~${A}`]: entry(A, 1),
    });
  });

  it("count nothing as deleted if the loaded version is unknown", () => {
    expect(mergeStores(undefined, { "cli:y": entry("b", 1) }, base)).toEqual({
      ...base,
      "cli:y": entry("b", 1),
    });
  });

  it("keep all changes to different entries", () => {
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
