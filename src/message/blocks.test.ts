import { expect, test } from "vitest";
import { isKnownBlock } from "./blocks.ts";

test("A block is known when it has a known type and the properties of that type", () => {
  expect(isKnownBlock({ type: "text", text: "", more: 1 })).toBe(true);
  expect(isKnownBlock({ type: "tool_result", tool_use_id: "a" })).toBe(true);
  expect(isKnownBlock({ type: "text" })).toBe(false);
  expect(isKnownBlock({ type: "tool_use", id: "a", name: "b", input: "c" })).toBe(false);
  expect(isKnownBlock({ type: "audio", text: "a" })).toBe(false);
  expect(isKnownBlock({ type: "constructor" })).toBe(false);
});
