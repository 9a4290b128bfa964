import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import type { Message } from "../types.ts";
import { checkMessage } from "../validate.ts";
import { fromFlat, toFlat } from "./flat.ts";

const ts = "2025-01-21T19:30:00Z";

const lines: [title: string, line: object][] = [
  ["a line of text", { role: "user", content: "What is Rust?", ts }],
  ["thinking", { role: "assistant", content: "A language.", ts, thinking: "Let me explain." }],
  ["thinking alone", { role: "assistant", content: "", ts, thinking: "Let me explain." }],
  [
    "empty members",
    { role: "assistant", content: "x", ts, thinking: "", tool_calls: [], tool_results: null },
  ],
  [
    "our calls",
    { role: "assistant", content: "", ts, tool_calls: [{ id: "c1", name: "read", input: { a: 1 } }] },
  ],
  [
    "calls with arguments",
    { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "r", arguments: '{ "a":1}' }] },
  ],
  [
    "OpenAI calls",
    { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "r", arguments: "{}" } }] },
  ],
  [
    "unreadable calls",
    { role: "assistant", content: "", ts, tool_calls: ["read", { name: "r", arguments: "{" }] },
  ],
  [
    "our results",
    { role: "user", content: "", ts, tool_results: [{ tool_use_id: "c1", content: "x", is_error: true }] },
  ],
  [
    "other results",
    { role: "user", content: "", ts, tool_results: [{ tool_call_id: "c1", output: { a: 1 } }, 7] },
  ],
  ["unknown members", { role: "system", content: "x", ts, mood: { good: true } }],
  ["a time that is none", { role: "user", content: "x", ts: "yesterday" }],
  ["no time", { role: "user", content: "x" }],
];

describe("fromFlat and back", () => {
  it.each(lines)("keeps %s", (_title, line) => {
    const messages = fromFlat([line]);
    expect(toFlat(messages)).toEqual([line]);
    expect(toFlat(messages, { lossless: true })).toEqual([line]);
    for (const message of messages) expect(() => checkMessage(message)).not.toThrow();
  });

  it("keeps any list", () => {
    fc.assert(
      fc.property(fc.array(flatLine()), (list) => {
        expect(toFlat(fromFlat(list))).toEqual(list);
        expect(toFlat(fromFlat(list), { lossless: true })).toEqual(list);
      }),
      { numRuns: 300 },
    );
  });
});

describe("fromFlat", () => {
  it("converts thinking, text, calls and results to blocks, and ts to the time", () => {
    const [message] = fromFlat([
      {
        role: "assistant",
        content: "Reading.",
        ts,
        thinking: "hm",
        tool_calls: [{ id: "c1", name: "read", arguments: { a: 1 } }],
        tool_results: [{ id: "c1", result: "done" }],
      },
    ]);
    expect(message).toMatchObject({
      role: "assistant",
      at: ts,
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "Reading." },
        { type: "tool_use", id: "c1", name: "read", input: { a: 1 } },
        { type: "tool_result", tool_use_id: "c1", content: "done" },
      ],
    });
    expect(message?.extra).toBeUndefined();
  });

  it.each([
    ["a value that is not an array", {}, "messages"],
    ["an unknown role", [{ role: "tool", content: "x" }], "messages[0].role"],
    ["content that is not a string", [{ role: "user", content: [] }], "messages[0].content"],
  ])("rejects %s", (_what, input, field) => {
    expect(() => fromFlat(input as object[])).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field }),
    );
  });
});

describe("toFlat", () => {
  const message: Message = {
    role: "user",
    content: [
      { type: "text", text: "one" },
      { type: "image", source: { type: "url", url: "https://x.org" } },
      { type: "text", text: "two" },
    ],
  };

  it("joins texts and names blocks that have no place", () => {
    expect(toFlat([message])).toEqual([{ role: "user", content: "one\n\n[image]\n\ntwo" }]);
  });

  it("carries blocks that have no place when lossless", () => {
    const list = toFlat([message], { lossless: true });
    expect(list[0]?.content).toBe("one\n\n[image]\n\ntwo");
    expect(fromFlat(list)).toEqual([message]);
  });

  it("writes an edited input, not the one that was read", () => {
    const [read] = fromFlat([
      { role: "assistant", content: "", tool_calls: [{ id: "c", name: "r", arguments: "{}" }] },
    ]);
    const [block] = (read?.content ?? []) as object[];
    const edited = { role: "assistant", content: [{ ...block, input: { a: 1 } }] } as unknown as Message;
    expect(toFlat([edited])[0]?.tool_calls).toEqual([{ id: "c", name: "r", input: { a: 1 } }]);
  });
});

function flatLine(): fc.Arbitrary<object> {
  // The second cannot be turned into text, which a careless template would try.
  const any = fc
    .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ toString: 0 }))
    .map((value) => JSON.stringify(value))
    .filter((json) => !json.includes("__proto__"))
    .map((json) => JSON.parse(json));
  const id = fc.constantFrom("c1", "c2", "");
  const call = fc.record(
    { id, name: fc.constantFrom("a", ""), input: any, arguments: any, type: any },
    { requiredKeys: [] },
  );
  const result = fc.record(
    { tool_use_id: id, id, content: any, output: any, is_error: any },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      role: fc.constantFrom("user", "assistant", "system"),
      content: fc.string({ unit: "binary" }),
      ts: fc.oneof(fc.constant(ts), any),
      thinking: fc.oneof(fc.string(), any),
      tool_calls: fc.oneof(fc.array(call), any),
      tool_results: fc.oneof(fc.array(result), any),
      other: any,
    },
    { requiredKeys: ["role", "content"] },
  );
}
