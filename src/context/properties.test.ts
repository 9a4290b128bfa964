import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { blocksOf } from "../message/blocks.ts";
import type { Block, Message } from "../message/types.ts";
import { type FittedContext, fitItems } from "./fit.ts";
import type { ContextItem } from "./item.ts";
import { accounted, type Ledger } from "./ledger.ts";
import { repairToolPairs } from "./pairs.ts";
import { middleOf, sandwichState } from "./sandwich.ts";
import { sandwich, sliding } from "./strategies.ts";
import { estimateTokens } from "./tokens.ts";

const RUNS = { numRuns: 500 };
const CALL_ID = fc.constantFrom("c0", "c1", "c2", "c3", "c1_2");

const words = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
  fc.constantFrom("hello", "日本語のテキスト", "👩‍👩‍👧‍👦 family", '{"a": [1, 2, 3]}'),
  fc
    .tuple(fc.constantFrom("word ", "漢字", "🙂", "0123"), fc.integer({ min: 100, max: 3_000 }))
    .map(([text, times]) => text.repeat(times)),
);
const text: fc.Arbitrary<Block> = words.map((value) => ({ type: "text", text: value }));
const image: fc.Arbitrary<Block> = fc.constant({
  type: "image",
  source: { type: "url", url: "https://x.org/a" },
});
const call: fc.Arbitrary<Block> = CALL_ID.map((id) => ({
  type: "tool_use",
  id,
  name: "read",
  input: { path: "a" },
}));
const result: fc.Arbitrary<Block> = fc
  .record({
    id: CALL_ID,
    content: fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 2 }), fc.constant(undefined)),
  })
  .map(({ id, content }) => ({
    type: "tool_result",
    tool_use_id: id,
    ...(content !== undefined && { content: content as string }),
  }));

const blocks = (block: fc.Arbitrary<Block>): fc.Arbitrary<Block[]> =>
  fc.array(block, { minLength: 1, maxLength: 3 });
const usage = fc.option(fc.record({ output_tokens: fc.integer({ min: -1, max: 2_000 }) }), {
  nil: undefined,
  freq: 3,
});
const message: fc.Arbitrary<Message> = fc.oneof(
  words.map((content): Message => ({ role: "user", content })),
  blocks(fc.oneof(text, image)).map((content): Message => ({ role: "user", content })),
  fc
    .tuple(words, usage)
    .map(([content, used]): Message => ({ role: "assistant", content, ...(used && { usage: used }) })),
  blocks(fc.oneof(text, call)).map((content): Message => ({ role: "assistant", content })),
  blocks(call).map((content): Message => ({ role: "assistant", content })),
  blocks(result).map((content): Message => ({ role: "user", content })),
  blocks(fc.oneof(result, text)).map((content): Message => ({ role: "user", content })),
  fc
    .tuple(
      fc.constantFrom("system" as const, "assistant" as const, "user" as const),
      blocks(fc.oneof(result, text, call)),
    )
    .map(([role, content]): Message => ({ role, content })),
);
/** As an agent writes it, so that not all is broken. */
const pair: fc.Arbitrary<Message[]> = fc.tuple(CALL_ID, words).map(([id, content]) => [
  { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] },
]);
const items: fc.Arbitrary<ContextItem[]> = fc
  .array(fc.oneof({ weight: 3, arbitrary: message.map((one) => [one]) }, { weight: 2, arbitrary: pair }), {
    maxLength: 16,
  })
  .map((groups) => groups.flat().map((one, index) => ({ id: `e${index}`, message: one })));

interface Case {
  readonly given: readonly ContextItem[];
  readonly earlier: number;
  readonly fitted: FittedContext;
}

/** Every way to make a context, with room that ranges from hardly any to more than enough. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    given: items,
    room: fc.oneof(
      fc.integer({ min: 32, max: 300 }),
      fc.integer({ min: 300, max: 20_000 }),
      fc.constant(1_000_000),
    ),
    maxToolResultTokens: fc.oneof(fc.constant(8_000), fc.integer({ min: 1, max: 200 })),
    summary: fc.option(
      words.map((value) => ({ text: value, id: "s1" })),
      { nil: undefined },
    ),
    earlier: fc.record({ messages: fc.nat(20), summarised: fc.nat(30) }),
    strategy: fc.constantFrom("fit", "sliding", "sandwich"),
    last: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ given, room, strategy, last, summary, earlier, ...rest }) => {
    const options = {
      maxTokens: room + 10,
      reserveForOutput: 10,
      earlier,
      ...rest,
      ...(summary && { summary }),
    };
    frozen(given);
    if (strategy === "sliding")
      return { given, earlier: earlier.messages, fitted: sliding(given, options, last) };
    if (strategy === "fit") return { given, earlier: earlier.messages, fitted: fitItems(given, options) };
    const [from, end] = middleOf(given);
    const state =
      end > from
        ? sandwichState(
            {
              kind: "summarise",
              range: [from, end - 1],
              until: given[end - 1]?.id ?? "",
              previous: undefined,
              items: [],
            },
            summary?.text.trim() || "s",
            "2026-01-01T00:00:00.000Z",
          )
        : undefined;
    return { given, earlier: earlier.messages, fitted: sandwich(given, state, options) };
  });

function frozen(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
}

function expectWholePairs(messages: readonly Message[]): void {
  const calls = messages.map((one) =>
    blocksOf(one).flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
  );
  const results = messages.map((one) =>
    blocksOf(one).flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : [])),
  );
  messages.forEach((one, index) => {
    expect([...(results[index + 1] ?? [])].sort()).toEqual([...(calls[index] ?? [])].sort());
    if (calls[index]?.length) expect(one.role).toBe("assistant");
    if (results[index]?.length) expect(one.role).toBe("user");
  });
  expect(results[0] ?? []).toEqual([]);
  const ids = calls.flat();
  expect(new Set(ids).size).toBe(ids.length);
}

/** Which fate each message had, by id. Fails when a message has two. */
function fates(given: readonly ContextItem[], ledger: Ledger): Map<string, string> {
  const found = new Map<string, string>();
  const add = (id: string, fate: string): void => {
    expect(found.has(id)).toBe(false);
    found.set(id, fate);
  };
  for (const { id, pinned } of ledger.kept) add(id, pinned ? "pinned" : "kept");
  for (const { reason, from, to, count } of ledger.dropped) {
    if (from === null) continue;
    const first = given.findIndex(({ id }) => id === from);
    const range = given.slice(first, first + count);
    expect(range.at(-1)?.id).toBe(to);
    for (const { id } of range) add(id, reason);
  }
  return found;
}

function isReal({ role, content }: Message): boolean {
  return (
    role === "user" && (typeof content === "string" || content.some(({ type }) => !type.startsWith("tool_")))
  );
}

describe("any conversation", () => {
  it("is never over the budget", () => {
    fc.assert(
      fc.property(cases, ({ fitted: { messages, ledger, tokens } }) => {
        const { available, used, factor } = ledger.budget;
        const counted = messages.reduce((sum, one) => sum + estimateTokens(one, factor), 0);
        expect(counted).toBe(tokens);
        expect(used).toBe(tokens);
        expect(tokens).toBeLessThanOrEqual(available);
      }),
      RUNS,
    );
  });

  it("is sent with complete tool pairs", () => {
    fc.assert(
      fc.property(cases, ({ fitted }) => expectWholePairs(fitted.messages)),
      RUNS,
    );
  });

  it("keeps its end and the user's last message", () => {
    fc.assert(
      fc.property(cases, ({ given, fitted: { ledger } }) => {
        const fate = fates(given, ledger);
        const user = given.findLast(({ message: one }) => isReal(one));
        if (user) expect(["kept", "pinned"]).toContain(fate.get(user.id));
        if (ledger.summarised.count > 0) return; // a sandwich has a beginning too
        const first = given.findIndex(({ id }) => fate.get(id) === "kept");
        const suffix = first === -1 ? [] : given.slice(first);
        for (const { id } of suffix) expect(fate.get(id)).not.toMatch(/budget|window|pinned/);
        for (const { id } of given.slice(0, Math.max(0, first))) expect(fate.get(id)).not.toBe("kept");
      }),
      RUNS,
    );
  });

  it("is accounted for, message by message", () => {
    fc.assert(
      fc.property(cases, ({ given, earlier, fitted: { ledger } }) => {
        expect(accounted(ledger)).toBe(given.length + earlier);
        const unloaded = ledger.dropped.find(({ from }) => from === null)?.count ?? 0;
        const named = fates(given, ledger).size;
        expect(named + ledger.summarised.count + unloaded).toBe(given.length + earlier);
      }),
      RUNS,
    );
  });

  it("starts with the user", () => {
    fc.assert(
      fc.property(cases, ({ fitted: { messages } }) => {
        expect(messages.find(({ role }) => role !== "system")?.role).not.toBe("assistant");
      }),
      RUNS,
    );
  });

  it("is sent without empty messages or half surrogate pairs", () => {
    fc.assert(
      fc.property(cases, ({ fitted: { messages } }) => {
        for (const one of messages) {
          expect(one.content.length).toBeGreaterThan(0);
          expect(JSON.stringify(one).replaceAll("\\\\", "")).not.toMatch(/\\ud[89a-f]/);
        }
      }),
      RUNS,
    );
  });
});

describe("repairing any conversation", () => {
  it("completes the pairs, accounts for each message, and is idempotent", () => {
    fc.assert(
      fc.property(items, (given) => {
        const before = structuredClone(given);
        frozen(given);
        const once = repairToolPairs(given);
        expectWholePairs(once.items.map((item) => item.message));
        const twice = repairToolPairs(once.items);
        expect(twice).toEqual({ items: once.items, repairs: [], dropped: [] });
        expect(given).toEqual(before);
      }),
      RUNS,
    );
  });

  it("leaves a sound conversation unchanged", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(words, words), { maxLength: 8 }), (turns) => {
        const given = turns.flatMap(([question, content], number): ContextItem[] => [
          { id: `q${number}`, message: { role: "user", content: question } },
          {
            id: `c${number}`,
            message: {
              role: "assistant",
              content: [{ type: "tool_use", id: `t${number}`, name: "f", input: {} }],
            },
          },
          {
            id: `r${number}`,
            message: { role: "user", content: [{ type: "tool_result", tool_use_id: `t${number}`, content }] },
          },
        ]);
        const { items: sent, repairs, dropped } = repairToolPairs(given);
        expect([repairs, dropped]).toEqual([[], []]);
        sent.forEach((item, index) => {
          expect(item.message).toBe(given[index]?.message);
        });
      }),
      RUNS,
    );
  });
});
