import { describe, expect, it } from "vitest";
import type { Block, Message } from "../message/types.ts";
import { cutMessage, cutText, cutToolResults } from "./cut.ts";
import { TOKEN_WEIGHT, weighText } from "./text-weight.ts";
import { estimateTokens } from "./tokens.ts";

const IMAGE: Block = { type: "image", source: { type: "url", url: "https://x.org/a" } };

describe("cutting a text", () => {
  it("keeps head and tail, and says how much is missing", () => {
    const cut = cutText(`BEGIN${"-".repeat(10_000)}END`, 100 * TOKEN_WEIGHT);
    const [, missing] = /^BEGIN-+\[… (\d+) characters omitted …\]-+END$/.exec(cut) ?? [];
    expect(Number(missing)).toBe(10_008 - cut.replace(/\[.*\]/, "").length);
    expect(weighText(cut)).toBeLessThanOrEqual(100 * TOKEN_WEIGHT);
    expect(weighText(cut)).toBeGreaterThan(95 * TOKEN_WEIGHT);
  });

  it("leaves a short text unchanged", () => {
    expect(cutText("short", 100)).toBe("short");
  });

  it("keeps the first words when there is no room for a marker", () => {
    expect(cutText("word ".repeat(100), 2 * TOKEN_WEIGHT)).toBe("word wor");
  });

  it.each([0, 1, 2, 3])("never splits a surrogate pair, whatever precedes it (%i)", (shift) => {
    for (let tokens = 1; tokens < 60; tokens++) {
      expect(cutText("a".repeat(shift) + "🙂".repeat(200), tokens * TOKEN_WEIGHT).isWellFormed()).toBe(true);
    }
  });
});

describe("cutting a message", () => {
  const cut = (content: Message["content"], tokens: number): Message => {
    const message = cutMessage({ role: "user", content, provenance: { id: 1 } }, tokens, 1);
    expect(estimateTokens(message)).toBeLessThanOrEqual(tokens);
    return message;
  };

  it("keeps the other properties of the message", () => {
    expect(cut("word ".repeat(1_000), 100)).toMatchObject({ role: "user", provenance: { id: 1 } });
  });

  it("prefers text to images, and notes an omitted image", () => {
    const { content } = cut([IMAGE, { type: "text", text: "look" }, IMAGE], 1_700);
    expect(content).toEqual([
      IMAGE,
      { type: "text", text: "look" },
      { type: "text", text: "[image omitted]" },
    ]);
  });

  it("joins texts that are too long in total", () => {
    const texts = Array.from(
      { length: 50 },
      (_, number): Block => ({ type: "text", text: `${number} ${"word ".repeat(100)}` }),
    );
    const { content } = cut([IMAGE, ...texts], 100);
    expect(content).toHaveLength(1);
  });
});

describe("cutting tool results", () => {
  it("cuts only those above the limit", () => {
    const small: Block = { type: "tool_result", tool_use_id: "a", content: "ok" };
    const large: Block = {
      type: "tool_result",
      tool_use_id: "b",
      content: "word ".repeat(10_000),
      is_error: true,
    };
    const mixed: Block = {
      type: "tool_result",
      tool_use_id: "c",
      content: [{ type: "text", text: "see" }, IMAGE],
    };
    const message: Message = {
      role: "user",
      content: [small, large, mixed, { type: "text", text: "word ".repeat(10_000) }],
    };
    const content = cutToolResults(message, 1_000 * TOKEN_WEIGHT).content as Block[];
    expect(content[0]).toBe(small);
    expect(content[1]).toMatchObject({
      tool_use_id: "b",
      is_error: true,
      content: expect.stringContaining("omitted"),
    });
    expect(content[2]).toMatchObject({ content: [{ text: "see" }, { text: "[image omitted]" }] });
    expect(content[3]).toBe(message.content[3]);
  });

  it("returns the same message when none is above the limit", () => {
    const message: Message = { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] };
    expect(cutToolResults(message, 1)).toBe(message);
  });
});
