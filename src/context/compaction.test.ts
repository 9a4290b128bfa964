import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import type { Message } from "../message/types.ts";
import { checkSummary, planCompaction } from "./compaction.ts";
import type { ContextItem } from "./item.ts";

function items(...lines: string[]): ContextItem[] {
  return lines.map((line, index) => ({ id: `e${index}`, message: message(line) }));
}

/** `a1` calls 1, `r1` is its result, `ok` an answer, anything else the user's. */
function message(line: string): Message {
  const [, kind, id = ""] = /^([ar])(\d)$/.exec(line) ?? [];
  if (kind === "a") return { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] };
  if (kind === "r")
    return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] };
  return { role: line === "ok" ? "assistant" : "user", content: line };
}

function summarised(given: readonly ContextItem[], options: Parameters<typeof planCompaction>[1]): number {
  const plan = planCompaction(given, options);
  if (plan !== undefined) expect([...plan.summarise, ...plan.keep]).toEqual(given);
  return plan?.summarise.length ?? 0;
}

describe("planCompaction", () => {
  it.each<[title: string, lines: string[], keepMessages: number, count: number]>([
    ["keeps the last messages", ["q", "ok", "q", "ok", "q", "ok"], 2, 4],
    ["keeps the user's last message and what follows", ["q", "ok", "q", "a1", "r1", "a2", "r2", "ok"], 1, 2],
    ["keeps a pair whole", ["q", "ok", "q", "a1", "r1", "q"], 2, 3],
    ["keeps answers in pieces with their results", ["q", "q", "a1", "a2", "r1", "r2", "q"], 2, 2],
    ["keeps a late result with its call", ["q", "ok", "a1", "q", "ok", "r1", "q"], 3, 2],
    ["is not worth it for one message", ["q", "ok", "q"], 2, 0],
    ["is not worth it when the user has just begun", ["q", "a1", "r1", "ok"], 1, 0],
    ["summarises all where no user speaks", ["ok", "ok", "ok"], 0, 3],
  ])("%s", (_title, lines, keepMessages, count) => {
    expect(summarised(items(...lines), { keepMessages })).toBe(count);
  });

  it("keeps about the last 20,000 tokens by default", () => {
    const given = items(
      ...Array.from({ length: 100 }, (_, index) => (index % 2 ? "ok" : "word ".repeat(1_670))),
    );
    // Ten turns of nearly 2,000, and one short answer more.
    expect(summarised(given, {})).toBe(79);
    expect(summarised(given.slice(60, 78), {})).toBe(0);
    expect(summarised(given, { keepTokens: 4_200 })).toBe(95);
    expect(summarised(given, { keepTokens: 4_200, keepMessages: 2 })).toBe(98);
  });

  it("rejects invalid limits", () => {
    const wrong = expect.objectContaining({ code: "VALIDATION_ERROR", field: "keepTokens" });
    expect(() => planCompaction([], { keepTokens: Number.NaN })).toThrow(wrong);
  });

  it("never splits a pair and never loses the user's last message", () => {
    const line = fc.constantFrom<string[]>("q", "ok", "a1", "r1", "a2", "r2", "a3", "r3");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.nat(20), (lines, keepMessages) => {
        const given = items(...lines);
        const plan = planCompaction(given, { keepMessages });
        if (plan === undefined) return;
        const at = plan.summarise.length;
        expect(at).toBeGreaterThanOrEqual(2);
        const user = lines.lastIndexOf("q");
        if (user !== -1) expect(at).toBeLessThanOrEqual(user);
        for (const id of ["1", "2", "3"]) {
          const open = lines.slice(0, at).lastIndexOf(`a${id}`);
          const result = lines.indexOf(`r${id}`, open);
          const next = lines.indexOf(`a${id}`, open + 1);
          // Open before the split, and answered after it before it is called again.
          if (open !== -1 && result >= at) expect(next !== -1 && next < result).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("checkSummary", () => {
  it("trims the text", () => {
    expect(checkSummary("  They met.\n")).toBe("They met.");
  });

  it.each(["", " \n", undefined, null, 7, {}])("rejects %j", (text) => {
    expect(() => checkSummary(text)).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE", message: "The summariser returned no text" }),
    );
  });
});
