import { describe, expect, it } from "vitest";
import { textOf } from "../message/text.ts";
import type { Message } from "../message/types.ts";
import type { ItemOptions } from "./budget.ts";
import type { FittedContext } from "./fit.ts";
import type { ContextItem } from "./item.ts";
import { accounted } from "./ledger.ts";
import { planSandwich, type SandwichPlan, type SandwichState, sandwichState } from "./sandwich.ts";
import { full, sandwich, sliding } from "./strategies.ts";

const AT = "2026-01-01T00:00:00.000Z";
/** About 100 tokens. */
const LONG = "word ".repeat(84);

function items(messages: readonly Message[]): ContextItem[] {
  return messages.map((message, index) => ({ id: `e${index}`, message }));
}
/** Turns of two messages, each of about 100 tokens that begin with its position. */
function talk(count: number): ContextItem[] {
  return items(
    Array.from({ length: count }, (_, index): Message => {
      return { role: index % 2 ? "assistant" : "user", content: `${index} ${LONG}` };
    }),
  );
}
function room(tokens: number): ItemOptions {
  return { maxTokens: tokens + 100, reserveForOutput: 100 };
}
function heads({ messages }: FittedContext): string[] {
  return messages.map((message) => textOf(message, { toolResults: true }).split(" ", 1)[0] as string);
}
function pair(id: string): Message[] {
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: LONG }] },
  ];
}

describe("full", () => {
  it("sends everything and cuts no result", () => {
    const given = items([{ role: "user", content: "q" }, ...pair("1")]);
    const fitted = full(given, { ...room(1_000), maxToolResultTokens: 10 });
    expect(fitted.messages).toEqual(given.map(({ message }) => message));
  });

  it("fails with the token counts when it does not fit", () => {
    expect(() => full(talk(20), room(1_000))).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        field: "maxTokens",
        details: { tokens: expect.any(Number), available: 1_000 },
      }),
    );
  });
});

describe("sliding", () => {
  it("keeps the last messages, 50 by default", () => {
    const fitted = sliding(talk(80), room(100_000));
    expect(fitted.ledger.kept.map(({ id }) => id)).toEqual(
      talk(80)
        .slice(30)
        .map(({ id }) => id),
    );
    expect(fitted.ledger.dropped).toEqual([{ reason: "window", count: 30, from: "e0", to: "e29" }]);
    expect(sliding(talk(80), room(100_000), 3).ledger.kept).toHaveLength(3);
  });

  it("takes another message rather than split a pair", () => {
    const given = items([{ role: "user", content: "q" }, ...pair("1"), { role: "user", content: "next" }]);
    expect(sliding(given, room(1_000), 2).ledger.kept.map(({ id }) => id)).toEqual(["e1", "e2", "e3"]);
  });

  it("keeps the user's last message outside the window", () => {
    const given = items([{ role: "user", content: "do it" }, ...pair("1"), ...pair("2"), ...pair("3")]);
    const fitted = sliding(given, room(1_000), 2);
    expect(heads(fitted).slice(0, 2)).toEqual(["do", "[4"]);
    expect(fitted.ledger.kept[0]).toMatchObject({ id: "e0", pinned: true });
  });

  it("fits the messages of the window", () => {
    const fitted = sliding(talk(80), room(1_000));
    expect(fitted.tokens).toBeLessThanOrEqual(1_000);
    expect(fitted.ledger.dropped.map(({ reason }) => reason)).toEqual(["window", "budget"]);
    expect(accounted(fitted.ledger)).toBe(80);
  });
});

describe("sandwich", () => {
  const plan = (from: number, to: number): Extract<SandwichPlan, { kind: "summarise" }> => ({
    kind: "summarise",
    range: [from, to],
    until: talk(to + 1)[to]?.id as string,
    previous: undefined,
    items: [],
  });
  const state = (from: number, to: number): SandwichState =>
    sandwichState(plan(from, to), "They counted.", AT);

  it.each<[what: string, count: number, tokens: number]>([
    ["ten messages, however long", 10, 500],
    ["at most 70% of the available tokens", 20, 3_100],
  ])("summarises nothing for %s", (_what, count, tokens) => {
    expect(planSandwich(talk(count), null, room(tokens))).toEqual({ kind: "none" });
  });

  it("summarises the middle above the threshold", () => {
    const plan = planSandwich(talk(20), undefined, room(2_000));
    expect(plan).toEqual({
      kind: "summarise",
      range: [5, 14],
      until: talk(20)[14]?.id,
      previous: undefined,
      items: talk(20).slice(5, 15),
    });
  });

  it("reuses the summary while later messages fit beside it", () => {
    expect(planSandwich(talk(22), state(5, 14), room(2_000))).toEqual({
      kind: "cached",
      state: state(5, 14),
    });
  });

  it("builds the next summary from the last one and later messages", () => {
    const plan = planSandwich(talk(40), state(5, 14), room(2_000));
    expect(plan).toEqual({
      kind: "summarise",
      range: [5, 34],
      until: talk(40)[34]?.id,
      previous: "They counted.",
      items: talk(40).slice(15, 35),
    });
  });

  it("requests no summary when there is nothing new to summarise", () => {
    expect(planSandwich(talk(20), state(5, 14), room(600))).toMatchObject({ kind: "cached" });
  });

  it.each<[what: string, other: unknown]>([
    ["another strategy", { ...state(5, 14), strategy: "sliding" }],
    ["a range that starts elsewhere", state(4, 14)],
    ["a range that ends in the kept part", state(5, 15)],
    ["an invalid range", { ...state(5, 14), summary_range: [5] }],
    ["an empty summary", { ...state(5, 14), summary: " " }],
    ["the summary of another branch", { ...state(5, 14), summary_until: "elsewhere" }],
    ["something else", ["x"]],
  ])("ignores a state with %s", (_what, other) => {
    expect(planSandwich(talk(20), other as SandwichState, room(2_000))).toMatchObject({
      kind: "summarise",
      range: [5, 14],
    });
    expect(sandwich(talk(20), other as SandwichState, room(10_000)).ledger.summarised.count).toBe(0);
  });

  it("extends both ends rather than split a pair", () => {
    const middle = talk(6).map(({ message }) => message);
    const given = items([
      ...talk(4).map(({ message }) => message),
      ...pair("1"),
      ...middle,
      ...pair("2"),
      ...middle.slice(2),
    ]);
    expect(planSandwich(given, null, room(1_200))).toMatchObject({ kind: "summarise", range: [6, 11] });
  });

  it("sends the first five, the summary as one system message, and the rest", () => {
    const fitted = sandwich(talk(22), state(5, 14), room(2_000));
    expect(heads(fitted)).toEqual([
      "0",
      "1",
      "2",
      "3",
      "4",
      "Earlier",
      "15",
      "16",
      "17",
      "18",
      "19",
      "20",
      "21",
    ]);
    expect(fitted.messages[5]).toEqual({
      role: "system",
      content: "Earlier conversation summary:\n\nThey counted.",
    });
    expect(fitted.ledger).toMatchObject({
      summarised: { count: 10, compaction: null },
      dropped: [],
      notice: false,
    });
    expect(accounted(fitted.ledger)).toBe(22);
  });

  it("drops the beginning first when even that does not fit", () => {
    const fitted = sandwich(talk(22), state(5, 14), room(600));
    expect(heads(fitted).slice(0, 2)).toEqual(["Earlier", "[7"]);
    expect(heads(fitted).at(-1)).toBe("21");
    expect(fitted.tokens).toBeLessThanOrEqual(600);
    expect(fitted.ledger.dropped).toMatchObject([
      { from: "e0", to: "e4" },
      { from: "e15", to: "e16" },
    ]);
    expect(accounted(fitted.ledger)).toBe(22);
  });

  it("still sends the user's last message when the summary covers it", () => {
    const run = Array.from({ length: 8 }, (_, index) => pair(`c${index}`)).flat();
    const given = items([
      ...talk(6).map(({ message }) => message),
      { role: "user", content: "do it" },
      ...run,
    ]);
    const fitted = sandwich(given, state(5, 16), room(10_000));
    expect(heads(fitted).slice(4, 7)).toEqual(["4", "Earlier", "do"]);
    expect(fitted.ledger.summarised.count).toBe(11);
    expect(accounted(fitted.ledger)).toBe(given.length);
  });

  it("rejects an empty summary", () => {
    expect(() => sandwichState(plan(5, 14), " \n", AT)).toThrow(
      expect.objectContaining({ code: "SERVICE_UNAVAILABLE" }),
    );
  });
});
