import { describe, expect, it } from "vitest";
import { textOf } from "./text.ts";
import type { Block } from "./types.ts";

const content: Block[] = [
  { type: "thinking", thinking: "hm" },
  { type: "text", text: "one" },
  { type: "text", text: "" },
  { type: "tool_use", id: "c1", name: "read", input: { text: "not said" } },
  { type: "tool_result", tool_use_id: "c1", content: "plain result" },
  {
    type: "tool_result",
    tool_use_id: "c2",
    content: [{ type: "text", text: "block result" }, { type: "image" }],
  },
  { type: "tool_result", tool_use_id: "c3" },
  { type: "brand_new", text: "unknown" },
  { type: "text", text: "two" },
];

describe("textOf", () => {
  it("returns the content of a plain message unchanged", () => {
    expect(textOf({ content: " a\n" })).toBe(" a\n");
  });

  it("joins text blocks by a blank line and skips everything else", () => {
    expect(textOf({ content })).toBe("one\n\ntwo");
  });

  it("adds thinking when asked", () => {
    expect(textOf({ content }, { thinking: true })).toBe("hm\n\none\n\ntwo");
  });

  it("adds tool results when asked, in both forms", () => {
    expect(textOf({ content }, { toolResults: true })).toBe("one\n\nplain result\n\nblock result\n\ntwo");
  });

  it("returns an empty string for a message without text", () => {
    expect(textOf({ content: [] })).toBe("");
    expect(textOf({ content: [{ type: "text" }] })).toBe("");
  });
});
