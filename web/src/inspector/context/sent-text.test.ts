import { describe, expect, it } from "vitest";
import { sentText } from "./sent-text.ts";

describe("sentText", () => {
  it("is readable, with tool calls and results in their place", () => {
    const text = sentText([
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "1", name: "ls", input: { path: "." } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "a b" }] }],
      },
    ]);
    expect(text).toBe(
      '── user ──\nHello\n\n── assistant ──\nLet me look.\n[calls ls with {"path":"."}]\n\n── user ──\n[result] a b',
    );
  });

  it("names what is not text", () => {
    expect(sentText([{ role: "user", content: [{ type: "image", source: {} }, null] }])).toBe(
      "── user ──\n[image]\nnull",
    );
  });
});
