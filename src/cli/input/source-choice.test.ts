import { describe, expect, it } from "vitest";
import { chosenOf } from "./source-choice.ts";

describe("the answer to which places to import", () => {
  it.each([
    ["", ["a", "b", "c"]],
    ["Y", ["a", "b", "c"]],
    ["no", []],
    ["q", []],
    ["2", ["b"]],
    ["1, 3", ["a", "c"]],
    ["3 1", ["c", "a"]],
    ["4", undefined],
    ["0", undefined],
    ["maybe", undefined],
    ["1,x", undefined],
  ])("%j means %j", (answer, chosen) => {
    expect(chosenOf(answer, ["a", "b", "c"])).toEqual(chosen);
  });
});
