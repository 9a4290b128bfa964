import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import type { Message } from "../message/types.ts";
import { headLength, tailLength, weighText } from "./text-weight.ts";
import { calibration, estimateTokens } from "./tokens.ts";

const PROSE =
  "The store keeps every word of a conversation, and gives back what fits into a request. ".repeat(50);

function user(content: Message["content"]): Message {
  return { role: "user", content };
}

describe("estimateTokens", () => {
  it.each<[what: string, text: string, min: number, max: number]>([
    ["prose, a token for about four characters", PROSE, PROSE.length / 5, PROSE.length / 3.5],
    ["Chinese, a token for each character", "漢字".repeat(500), 900, 1_100],
    ["digits, more than letters", "0123456789".repeat(100), 400, 600],
    ["code, more than prose", "if (a[i] !== b[j]) { return {x: 1}; }\n".repeat(30), 350, 700],
    ["Russian, about two characters", "слово ".repeat(100), 200, 400],
    ["emoji", "🙂".repeat(100), 150, 300],
  ])("counts %s", (_what, text, min, max) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(min);
    expect(estimateTokens(text)).toBeLessThanOrEqual(max);
  });

  it("counts zero for an empty string, but more for an empty message", () => {
    expect([estimateTokens(""), estimateTokens([])]).toEqual([0, 0]);
    expect(estimateTokens(user("a"))).toBeGreaterThan(estimateTokens("a"));
  });

  it("counts a fixed amount for an image, whatever its size", () => {
    const picture = (data: string): Message => user([{ type: "image", source: { type: "base64", data } }]);
    expect(estimateTokens(picture("A".repeat(1_000_000)))).toBe(estimateTokens(picture("A")));
    expect(estimateTokens(picture("A"))).toBeGreaterThanOrEqual(1_600);
  });

  it("counts a document by its size, and a text document by its text", () => {
    const document = (source: Record<string, string>): number =>
      estimateTokens(user([{ type: "document", source }]));
    expect(document({ type: "base64", data: "A".repeat(1_000_000) })).toBeGreaterThan(50_000);
    expect(document({ type: "url", url: "https://x.org/a.pdf" })).toBeGreaterThanOrEqual(1_600);
    expect(document({ type: "text", data: "two words" })).toBeLessThan(20);
  });

  it("counts the input of a call, the content of a result and unknown blocks", () => {
    const long = "word ".repeat(400);
    expect(estimateTokens(user([{ type: "tool_use", id: "c", name: "f", input: { long } }]))).toBeGreaterThan(
      400,
    );
    expect(estimateTokens(user([{ type: "tool_result", tool_use_id: "c", content: long }]))).toBeGreaterThan(
      400,
    );
    const nested = [{ type: "text", text: long }];
    expect(
      estimateTokens(user([{ type: "tool_result", tool_use_id: "c", content: nested }])),
    ).toBeGreaterThan(400);
    expect(estimateTokens(user([{ type: "hologram", long }]))).toBeGreaterThan(400);
    expect(estimateTokens([{ name: "f", description: long }])).toBeGreaterThan(400);
  });

  it.each<[usage: Message["usage"], tokens: number]>([
    [{ output_tokens: 70 }, 70],
    [{ completion_tokens: 70 }, 70],
    [{ completion_tokens: 500, completion_tokens_details: { reasoning_tokens: 430 } }, 70],
  ])("uses the provider's count %j", (usage, tokens) => {
    expect(estimateTokens({ role: "assistant", content: "word ".repeat(50), usage }, 2)).toBe(tokens);
  });

  it.each([
    { output_tokens: 1 },
    { output_tokens: 0 },
    { output_tokens: "70" },
    { output_tokens: null },
    { input_tokens: 9 },
  ])("ignores %j as the length of a long answer", (usage) => {
    const content = "word ".repeat(50);
    expect(estimateTokens({ role: "assistant", content, usage })).toBe(
      estimateTokens({ role: "assistant", content }),
    );
  });
});

describe("calibration", () => {
  const answer = (tokens: number): Message => ({
    role: "assistant",
    content: PROSE,
    usage: { output_tokens: tokens },
  });
  const estimate = estimateTokens({ role: "assistant", content: PROSE });

  it("is the provider's count divided by our estimate", () => {
    expect(calibration([answer(Math.round(estimate * 1.5))])).toBeCloseTo(1.5, 1);
    expect(estimateTokens(user(PROSE), 1.5)).toBeCloseTo(estimate * 1.5, -1);
  });

  it("is 1 while nothing is known, and stays between 0.5 and 2", () => {
    expect(calibration([])).toBe(1);
    expect(
      calibration([user(PROSE), { role: "assistant", content: "ok", usage: { output_tokens: 9 } }]),
    ).toBe(1);
    expect(calibration([answer(estimate * 50)])).toBe(2);
    expect(calibration([answer(Math.ceil(estimate / 3))])).toBe(0.5);
  });

  it("uses the latest answers", () => {
    const old = Array.from({ length: 50 }, () => answer(estimate * 2));
    const recent = Array.from({ length: 32 }, () => answer(estimate));
    expect(calibration([...old, ...recent])).toBe(1);
  });
});

describe("weighing text", () => {
  const anyText = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
  );

  it("equals the sum of the parts, split anywhere between characters, lone surrogates included", () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, weight) => {
        const head = text.slice(0, headLength(text, weight));
        const tail = text.slice(text.length - tailLength(text, weight));
        expect(weighText(head)).toBeLessThanOrEqual(weight);
        expect(weighText(tail)).toBeLessThanOrEqual(weight);
        expect(weighText(head) + weighText(text.slice(head.length))).toBe(weighText(text));
        expect(weighText(tail) + weighText(text.slice(0, text.length - tail.length))).toBe(weighText(text));
      }),
      { numRuns: 500 },
    );
  });

  it("does not depend on where a long text is split", () => {
    for (const shift of [0, 1, 2]) {
      const text = "a".repeat(shift) + "🙂".repeat(20_000);
      expect(weighText(text)).toBe(weighText("a") * shift + weighText("🙂") * 20_000);
    }
  });
});
