import { describe, expect, it } from "vitest";
import { ColloquyError } from "../errors.ts";
import { textOf } from "../message/text.ts";
import type { Message } from "../message/types.ts";
import type { FitOptions } from "./budget.ts";
import { type FittedContext, fitItems, fitToContextWindow } from "./fit.ts";
import { accounted } from "./ledger.ts";

/** About 100 tokens. */
const LONG = "word ".repeat(84);

function user(content: Message["content"]): Message {
  return { role: "user", content };
}
function answer(content: Message["content"]): Message {
  return { role: "assistant", content };
}
function call(id: string): Message {
  return answer([{ type: "tool_use", id, name: "f", input: {} }]);
}
function result(id: string, content: string): Message {
  return user([{ type: "tool_result", tool_use_id: id, content }]);
}
/** With room for N tokens of messages. */
function within(
  messages: readonly Message[],
  room: number,
  options: Partial<FitOptions> = {},
): FittedContext {
  const given = { maxTokens: room + 100, reserveForOutput: 100, ...options };
  const fitted = fitToContextWindow("", messages, [], given);
  expect(fitted.tokens).toBeLessThanOrEqual(room);
  expect(accounted(fitted.ledger)).toBe(messages.length);
  return fitted;
}
function texts({ messages }: FittedContext): string[] {
  return messages.map((message) => textOf(message, { toolResults: true }));
}
function caught(work: () => unknown): ColloquyError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ColloquyError);
    return error as ColloquyError;
  }
  throw new Error("nothing was thrown");
}

describe("fitToContextWindow", () => {
  it("sends everything that fits, unchanged", () => {
    const messages = [user("hi"), call("1"), result("1", "r"), answer("ok")];
    const { messages: sent, ledger } = within(messages, 1_000);
    expect(sent).toEqual(messages);
    expect(ledger.kept.map(({ id }) => id)).toEqual(["0", "1", "2", "3"]);
    expect(ledger).toMatchObject({ dropped: [], repaired: [], notice: false });
  });

  it("keeps the end, and says how many messages are missing", () => {
    const messages = Array.from({ length: 100 }, (_, index) =>
      index % 2 ? answer(`${index} ${LONG}`) : user(`${index} ${LONG}`),
    );
    const fitted = within(messages, 1_000);
    const [notice, first] = texts(fitted);
    const dropped = Number.parseInt(first ?? "", 10);
    expect(notice).toBe(`[${dropped} earlier messages of this conversation omitted]`);
    expect(fitted.messages).toHaveLength(101 - dropped);
    expect(fitted.ledger.dropped).toEqual([
      { reason: "budget", count: dropped, from: "0", to: String(dropped - 1) },
    ]);
    expect(fitted.tokens).toBeGreaterThan(850);
  });

  it("keeps a call and its results together or not at all", () => {
    const messages = [user("q"), answer(LONG), call("1"), result("1", LONG), answer("done"), user("next")];
    for (let room = 60; room < 400; room++) {
      const kept = within(messages, room).ledger.kept.map(({ id }) => id);
      expect(kept.includes("2")).toBe(kept.includes("3"));
    }
  });

  it("keeps the user's last message when a long run follows it", () => {
    const run = Array.from({ length: 20 }, (_, index) => [
      call(`c${index}`),
      result(`c${index}`, LONG),
    ]).flat();
    const fitted = within([user("old"), answer("ok"), user("do it"), ...run], 600);
    expect(texts(fitted)[0]).toBe("do it");
    expect(texts(fitted)[1]).toMatch(/^\[\d+ earlier messages/);
    expect(fitted.ledger.kept[0]).toMatchObject({ id: "2", pinned: true });
    expect(fitted.ledger.kept.at(-1)?.id).toBe("42");
    expect(fitted.ledger.dropped.map(({ from }) => from)).toEqual(["0", "3"]);
  });

  it("pins the user's text beside tool results, without the results", () => {
    const messages = [
      call("0"),
      user([
        { type: "tool_result", tool_use_id: "0", content: LONG },
        { type: "text", text: "and this" },
      ]),
    ];
    const fitted = within(messages, 90);
    expect(texts(fitted)).toEqual(["[1 earlier message of this conversation omitted]", "and this"]);
    expect(fitted.ledger.kept).toEqual([{ id: "1", tokens: 6, truncated: true, pinned: true }]);
  });

  it("cuts the user's last message in the middle when it is too long by itself", () => {
    const fitted = within([answer("ok"), user(`BEGIN ${LONG.repeat(100)} END`)], 300);
    expect(texts(fitted)).toEqual([
      expect.stringMatching(/^\[1 earlier/),
      expect.stringMatching(/^BEGIN .*\[… \d+ characters omitted …\].* END$/),
    ]);
    expect(fitted.ledger.kept).toMatchObject([{ id: "1", truncated: true }]);
    expect(fitted.tokens).toBeGreaterThan(280);
  });

  it("adds no notice when the only message was cut", () => {
    expect(within([user(LONG.repeat(10))], 300)).toMatchObject({
      messages: { length: 1 },
      ledger: { dropped: [], notice: false },
    });
  });

  it("leaves room for tool results when it has to cut the user's message", () => {
    const fitted = within([user(LONG.repeat(100)), call("1"), result("1", "the answer")], 600);
    expect(texts(fitted).at(-1)).toBe("the answer");
    expect(fitted.ledger.kept.map(({ id }) => id)).toEqual(["0", "1", "2"]);
  });

  it("sends the user's last message alone when nothing else fits", () => {
    const fitted = within([user("old"), answer(LONG), user(LONG), answer(LONG)], 32, { summary: LONG });
    expect(fitted.messages).toHaveLength(1);
    expect(fitted.messages[0]?.content).toMatch(/^word /);
  });

  it("cuts long tool results", () => {
    const messages = [user("q"), call("1"), result("1", LONG.repeat(100))];
    const fitted = within(messages, 100_000, { maxToolResultTokens: 50 });
    expect(fitted.tokens).toBeLessThan(100);
    expect(fitted.ledger.kept).toMatchObject([{ id: "0" }, { id: "1" }, { id: "2", truncated: true }]);
    expect(within(messages, 100_000).tokens).toBeGreaterThan(7_900);
    expect(within(messages, 100_000).tokens).toBeLessThan(8_100);
  });

  it("sends the summary first, and does not count the messages it covers as dropped", () => {
    const options = { maxTokens: 2_500, summary: { text: "They spoke of rain.", id: "k7" } };
    const items = [
      { id: "e9", message: answer("ok") },
      { id: "e10", message: user("go on") },
    ];
    const fitted = fitItems(items, { ...options, earlier: { messages: 40, summarised: 40 } });
    expect(texts(fitted)).toEqual([
      "[Summary of the earlier conversation]\n\nThey spoke of rain.",
      "ok",
      "go on",
    ]);
    expect(fitted.ledger).toMatchObject({
      summarised: { count: 40, compaction: "k7" },
      dropped: [],
      notice: false,
    });
    expect(accounted(fitted.ledger)).toBe(42);
    expect(fitted.tokens).toBe(
      fitted.ledger.kept.reduce((sum, { tokens }) => sum + tokens, fitted.ledger.summarised.tokens),
    );
  });

  it("cuts a summary that would take more than half of the available tokens", () => {
    const fitted = within([answer("a"), user("q")], 400, { summary: LONG.repeat(20) });
    expect(fitted.ledger.summarised.tokens).toBeGreaterThan(180);
    expect(fitted.ledger.summarised.tokens).toBeLessThanOrEqual(200);
    expect(texts(fitted).slice(1)).toEqual(["a", "q"]);
  });

  it("counts messages that were not loaded as dropped", () => {
    const fitted = fitItems([{ id: "e9", message: user("go on") }], {
      maxTokens: 2_500,
      earlier: { messages: 8, summarised: 3 },
    });
    expect(texts(fitted)[0]).toBe("[8 earlier messages of this conversation omitted]");
    expect(fitted.ledger.dropped).toEqual([{ reason: "budget", count: 8, from: null, to: null }]);
  });

  it("starts with the user even when the conversation does not", () => {
    expect(texts(within([answer("Welcome!"), user("hi")], 500))).toEqual([
      "[The conversation starts with the assistant]",
      "Welcome!",
      "hi",
    ]);
    expect(texts(within([{ role: "system", content: "be kind" }, user("hi")], 500))).toEqual([
      "be kind",
      "hi",
    ]);
  });

  it("records every repair of a message that is sent", () => {
    const fitted = within(
      [user("q"), call("1"), call("2"), result("2", "b"), result("9", "z"), user("?")],
      500,
    );
    expect(fitted.ledger.repaired).toEqual([
      { kind: "missing-result", toolUseId: "1", id: "1" },
      { kind: "orphan-result", toolUseId: "9", id: "4" },
    ]);
    expect(fitted.ledger.dropped).toEqual([{ reason: "orphan-result", count: 1, from: "4", to: "4" }]);
    expect(fitted.ledger.notice).toBe(false);
  });

  it("names the message in which joined results are sent", () => {
    const both = answer([1, 2].map((id) => ({ type: "tool_use", id: `${id}`, name: "f", input: {} })));
    const { kept } = within([user("q"), both, result("1", "a"), result("2", "b")], 500).ledger;
    expect(kept.slice(2)).toEqual([
      { id: "2", tokens: expect.any(Number) },
      { id: "3", tokens: 0, joined: "2" },
    ]);
  });

  it("treats a result whose call is not sent as an orphan", () => {
    const messages = [call("1"), answer(LONG), answer(LONG), result("1", "late"), user("so?")];
    const fitted = within(messages, 150);
    expect(fitted.ledger.dropped).toEqual([
      { reason: "budget", count: 2, from: "0", to: "1" },
      { reason: "orphan-result", count: 1, from: "3", to: "3" },
    ]);
    expect(fitted.ledger.repaired).toEqual([{ kind: "orphan-result", toolUseId: "1", id: "3" }]);
  });

  it("keeps the ledger short when many messages are dropped", () => {
    const messages = Array.from({ length: 50_000 }, (_, index) =>
      index % 3 ? user("x") : result("z", "orphan"),
    );
    const { ledger } = within([...messages, user(LONG)], 200);
    expect(ledger.dropped.length + ledger.kept.length).toBeLessThan(50);
    expect(ledger.dropped[0]).toMatchObject({ reason: "budget", from: "0" });
  });

  it("charges for the system prompt and the tools", () => {
    const { budget } = fitToContextWindow(LONG, [user("hi")], [{ name: "f", description: LONG }], {
      maxTokens: 8_192,
    }).ledger;
    expect(budget).toMatchObject({ maxTokens: 8_192, reserveForOutput: 2_048, factor: 1 });
    expect(budget.system).toBeGreaterThan(90);
    expect(budget.tools).toBeGreaterThan(budget.system);
    expect(budget.available).toBe(8_192 - 2_048 - budget.system - budget.tools);
  });

  it("calibrates the estimate by the provider's counts", () => {
    const told: Message = { role: "assistant", content: LONG, usage: { output_tokens: 200 } };
    const { ledger } = within([user(LONG), told], 1_000);
    expect(ledger.budget.factor).toBeGreaterThan(1.8);
    expect(ledger.kept.map(({ tokens }) => tokens)).toEqual([200, 200]);
  });

  it("returns no messages for an empty conversation", () => {
    expect(within([], 100)).toMatchObject({ messages: [], tokens: 0 });
  });

  it.each<[field: string, options: Record<string, unknown>]>([
    ["maxTokens", { maxTokens: 0 }],
    ["maxTokens", { maxTokens: -1 }],
    ["maxTokens", { maxTokens: Number.NaN }],
    ["maxTokens", { maxTokens: 4096.5 }],
    ["maxTokens", { maxTokens: "8192" }],
    ["maxTokens", {}],
    ["maxTokens", { maxTokens: 2_048 }],
    ["reserveForOutput", { maxTokens: 8_192, reserveForOutput: -1 }],
    ["maxToolResultTokens", { maxTokens: 8_192, maxToolResultTokens: 0 }],
    ["summary", { maxTokens: 8_192, summary: 7 }],
    ["contextLength", { maxTokens: 8_192, contextLength: 7 }],
  ])("rejects an invalid %s: %j", (field, options) => {
    expect(caught(() => fitToContextWindow("", [], [], options as unknown as FitOptions))).toMatchObject({
      code: "VALIDATION_ERROR",
      field,
    });
  });

  it("says what takes the tokens when none are left", () => {
    const error = caught(() => fitToContextWindow(LONG.repeat(100), [], [], { maxTokens: 8_192 }));
    expect(error).toMatchObject({ field: "maxTokens", details: { reserveForOutput: 2_048, tools: 0 } });
  });
});
