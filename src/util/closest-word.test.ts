import { describe, expect, it } from "vitest";
import { closestWord } from "./closest-word.ts";

describe("closestWord", () => {
  it.each([
    ["gatway", "gateway"],
    ["Gateway", "gateway"],
    ["gatewya", "gateway"],
    ["sesions", "sessions"],
    ["gate", undefined],
    ["xylophone", undefined],
    ["", undefined],
    ["x".repeat(100_000), undefined],
  ])("%s: %s", (typed, expected) => {
    expect(closestWord(typed, ["gateway", "sessions", "ui"])).toBe(expected);
  });

  it("can treat a prefix as a match", () => {
    expect(closestWord("hist", ["list", "history"], { prefixes: true })).toBe("history");
    expect(closestWord("lsit", ["list", "show"], { prefixes: true })).toBe("list");
    expect(closestWord("xylophone", ["list", "history"], { prefixes: true })).toBeUndefined();
  });

  it("never suggests the empty word", () => {
    expect(closestWord("x", [""])).toBeUndefined();
  });

  it("can be limited to fewer edits", () => {
    expect(closestWord("gatwy", ["gateway"])).toBe("gateway");
    expect(closestWord("gatwy", ["gateway"], { stepsMax: 1 })).toBeUndefined();
  });
});
