import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import type { Message } from "../types.ts";
import { checkMessage } from "../validate.ts";
import { fromClaude, toClaude } from "./anthropic.ts";
import { fromFlat, toFlat } from "./flat.ts";
import { fromOpenAI, toOpenAI } from "./openai.ts";

const response = {
  id: "msg_01",
  type: "message",
  role: "assistant",
  content: [
    { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
    { type: "text", text: "Looking.", citations: null },
    { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.md" } },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  ],
  model: "claude-sonnet-4-5",
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 7, cache: { ephemeral_5m_input_tokens: 0 } },
};

const requests = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1" },
      { type: "tool_result", tool_use_id: "toolu_2", content: "", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_3", content: [{ type: "text", text: "ok" }] },
      { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
      { type: "text", text: "go on", cache_control: { type: "ephemeral" } },
      { type: "search_result", source: "s", title: "t", content: [] },
    ],
  },
];

describe("fromClaude", () => {
  it("reads model, usage and stop reason of a response and keeps the rest in extra", () => {
    const [message] = fromClaude([response]);
    expect(message).toEqual({
      role: "assistant",
      content: response.content,
      model: "claude-sonnet-4-5",
      stopReason: "tool_use",
      usage: response.usage,
      extra: { claude: { id: "msg_01", type: "message", stop_sequence: null } },
    });
  });

  it("returns messages that a store accepts", () => {
    for (const message of fromClaude([...requests, response]))
      expect(() => checkMessage(message)).not.toThrow();
  });

  it("neither changes its argument nor shares objects with it", () => {
    const before = structuredClone(response);
    const [message] = fromClaude([response]);
    Object.assign(message?.content[0] as object, { thinking: "changed" });
    expect(response).toEqual(before);
  });

  it.each([
    ["a value that is not an array", { role: "user", content: "x" }, "messages"],
    ["an element that is not an object", ["x"], "messages[0]"],
    ["a role that Claude does not have", [{ role: "tool", content: "x" }], "messages[0].role"],
    ["missing content", [{ role: "user" }], "messages[0].content"],
    ["content that is not a block", [{ role: "user", content: ["x"] }], "messages[0].content"],
    ["a value that JSON cannot hold", [{ role: "user", content: "x", at: new Date() }], "messages[0].at"],
  ])("rejects %s", (_what, input, field) => {
    expect(() => fromClaude(input as object[])).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field }),
    );
  });
});

describe("toClaude", () => {
  it("returns a request unchanged", () => {
    expect(toClaude(fromClaude(requests))).toEqual(requests);
  });

  it("returns the part of a response that a request may have", () => {
    expect(toClaude(fromClaude([response]))).toEqual([{ role: "assistant", content: response.content }]);
  });

  it("returns a whole response when lossless, without properties of its own", () => {
    expect(toClaude(fromClaude([response, ...requests]), { lossless: true })).toEqual([
      response,
      ...requests,
    ]);
  });

  it("drops what the API rejects", () => {
    const content = [
      { type: "thinking", thinking: "of another model", openai: { member: "reasoning_content" } },
      { type: "text", text: " " },
      { type: "input_audio", input_audio: { data: "", format: "wav" } },
      { type: "video_url", video_url: {}, openai: {} },
      {
        type: "image",
        source: { type: "url", url: "https://x.org" },
        openai: { image_url: { detail: "low" } },
      },
      { type: "refusal", refusal: "No." },
      { type: "tool_use", id: "functions.read:0", name: "read", input: {}, openai: { index: 0 } },
    ];
    expect(toClaude([{ role: "assistant", content, model: "m", endState: "finished" }])).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "[image]" },
          { type: "text", text: "No." },
          { type: "tool_use", id: "functions_read_0", name: "read", input: {} },
        ],
      },
    ]);
  });

  it("never sends a message without content", () => {
    const [message] = toClaude([{ role: "assistant", content: [{ type: "thinking", thinking: "hm" }] }]);
    expect(message?.content).toEqual([{ type: "text", text: "[thinking]" }]);
  });

  it("sends a system message as the user's and keeps its role when lossless", () => {
    const messages: Message[] = [{ role: "system", content: "Be brief." }];
    expect(toClaude(messages)).toEqual([{ role: "user", content: "Be brief." }]);
    const lossless = toClaude(messages, { lossless: true });
    expect(lossless).toEqual([{ role: "user", content: "Be brief.", _colloquy: { role: "system" } }]);
    expect(fromClaude(lossless)).toEqual(messages);
  });

  it("rejects a role that is not ours", () => {
    expect(() => toClaude([{ role: "tool", content: "x" } as unknown as Message])).toThrow(
      "Invalid message role",
    );
  });

  it("keeps text that was edited in the foreign message, and the rest of ours", () => {
    const [foreign] = toClaude([{ role: "system", content: "old", endState: "stopped" }], { lossless: true });
    expect(fromClaude([{ ...foreign, content: "new" }])).toEqual([
      { role: "system", content: "new", endState: "stopped" },
    ]);
  });
});

describe("a foreign list", () => {
  it("is returned unchanged, whatever it contains", () => {
    fc.assert(
      fc.property(fc.array(claudeMessage()), (list) => {
        expect(toClaude(fromClaude(list), { lossless: true })).toEqual(list);
      }),
    );
  });
});

// Here for all three formats, because they share the same code.
describe.each([
  { format: "Claude", to: toClaude, from: fromClaude },
  { format: "OpenAI", to: toOpenAI, from: fromOpenAI },
  { format: "flat", to: toFlat, from: fromFlat },
])("our messages as $format messages, lossless", ({ to, from }) => {
  it("are returned unchanged, whatever they contain", () => {
    fc.assert(
      fc.property(fc.array(ourMessage()), (list) => {
        for (const message of list) checkMessage(message);
        const before = structuredClone(list);
        const foreign = to(list, { lossless: true });
        expect(from(foreign)).toEqual(list);
        expect(list).toEqual(before);
        expect(JSON.parse(JSON.stringify(foreign))).toEqual(foreign);
      }),
      { numRuns: 200 },
    );
  });

  it("have no property of ours by default, and lose no text", () => {
    fc.assert(
      fc.property(fc.array(ourMessage(), { minLength: 1 }), (list) => {
        const foreign = to(list);
        expect(foreign.length).toBeGreaterThan(0);
        expect(JSON.stringify(foreign)).not.toContain("_colloquy");
        for (const said of list.flatMap(wordsOf))
          expect(JSON.stringify(foreign)).toContain(JSON.stringify(said).slice(1, -1));
      }),
    );
  });

  it("keep content at the deepest level that a store accepts", () => {
    let deep: object = {};
    for (let level = 0; level < 61; level++) deep = { deep };
    const message = {
      role: "user",
      content: [{ type: "custom", deep }],
      endState: "stopped",
    } as unknown as Message;
    checkMessage(message);
    expect(from(to([message], { lossless: true }))).toEqual([message]);
  });

  it("keep the id and time of a message that is not stored yet", () => {
    const message = { role: "user", content: "x", id: "m1", at: "2025-01-21T19:30:00Z" } as const;
    expect(from(to([message], { lossless: true }))).toEqual([message]);
  });
});

const WORDS = "words that stay: ";

function wordsOf({ content }: Message): string[] {
  const texts = typeof content === "string" ? [content] : content.map((block) => String(block.text ?? ""));
  return texts.filter((text) => text.startsWith(WORDS));
}

function claudeMessage(): fc.Arbitrary<object> {
  const block = fc.oneof(
    open({ type: "text", text: "x" }),
    open({ type: "brand_new" }),
    open({ type: "thinking" }),
  );
  const content = fc.oneof(fc.string(), fc.array(block));
  return fc.record({ role: fc.constantFrom("user", "assistant"), content }).chain(open);
}

/** The object with a few additional properties of any kind. */
function open(base: object): fc.Arbitrary<object> {
  // The second cannot be turned into text, which a careless template would try.
  const value = fc
    .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ toString: 0 }))
    .map((any) => JSON.stringify(any))
    .filter((text) => !text.includes("__proto__"))
    .map((text) => JSON.parse(text));
  const names = fc.constantFrom(
    "id",
    "model",
    "usage",
    "stop_reason",
    "extra",
    "name",
    "openai",
    "flat",
    "toString",
  );
  return fc.dictionary(names, value, { maxKeys: 2 }).map((members) => ({ ...members, ...base }));
}

function ourBlock(): fc.Arbitrary<object> {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string().map((words) => WORDS + words),
  );
  const id = fc.constantFrom("call_1", "call_2", "a.b:0");
  const source = fc.constantFrom(
    { type: "base64", media_type: "application/pdf", data: "AA==" },
    { type: "url", url: "https://x.org/a.png" },
    { type: "text", media_type: "text/plain", data: "plain" },
    { type: "url", url: { toString: 0 } },
    { type: "base64", data: { toString: 0 } },
    {},
  );
  const base = fc.oneof(
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constantFrom("image", "document"), source }),
    fc.record({ type: fc.constant("thinking"), thinking: text }),
    fc.record({ type: fc.constant("tool_use"), id, name: fc.constant("read"), input: open({}) }),
    fc.record({ type: fc.constant("tool_result"), tool_use_id: id, content: text }),
    fc.record({ type: fc.constant("tool_result"), tool_use_id: id }),
    fc.record({
      type: fc.constant("tool_result"),
      tool_use_id: id,
      content: fc.tuple(
        fc.oneof(
          open({ type: "text", text: "t" }),
          fc.constantFrom(
            {},
            { type: "text", text: { toString: 0 } },
            { type: { toString: 0 } },
            { type: "image" },
          ),
        ),
      ),
    }),
    fc.record({ type: fc.constant("refusal"), refusal: fc.oneof(text, fc.constant({ toString: 0 })) }),
    fc.record({ type: fc.constantFrom("refusal", "audio", "input_audio", "openai_part", "flat_tool_call") }),
  );
  return fc.oneof(base, base, base.chain(open));
}

/** Any message that a store accepts. */
function ourMessage(): fc.Arbitrary<Message> {
  const words = fc.string({ unit: "binary" }).map((text) => WORDS + text);
  const blocks = fc
    .array(ourBlock(), { maxLength: 4 })
    .map((some) => [...some, { type: "tool_result", tool_use_id: "z" }]);
  const said = fc.array(ourBlock(), { maxLength: 4 }).map((some) => [...some, { type: "text", text: WORDS }]);
  const optional = {
    model: fc.string(),
    stopReason: fc.string(),
    usage: open({}),
    endState: fc.constantFrom("finished", "stopped"),
    extra: fc.record(
      { claude: open({}), openai: open({}), flat: open({ content: "x" }) },
      { requiredKeys: [] },
    ),
    source: fc.constant(null),
  };
  const role = fc.constantFrom("user", "user", "assistant", "system");
  const content = fc.oneof(words, blocks, said);
  return fc.record(
    { role, content, ...optional },
    { requiredKeys: ["role", "content"] },
  ) as fc.Arbitrary<Message>;
}
