import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import type { Message } from "../types.ts";
import { checkMessage } from "../validate.ts";
import { toClaude } from "./anthropic.ts";
import { fromOpenAI, toOpenAI } from "./openai.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const PDF = "data:application/pdf;base64,JVBERi0=";

function call(id: string, text: string): object {
  return { id, type: "function", function: { name: "read", arguments: text } };
}

const foreign: [title: string, list: object[]][] = [
  [
    "plain text",
    [
      { role: "system", content: "s" },
      { role: "user", content: "u", name: "Ann" },
    ],
  ],
  ["a developer message", [{ role: "developer", content: "d" }]],
  [
    "text parts",
    [{ role: "user", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] }],
  ],
  ["pictures", [{ role: "user", content: [{ type: "image_url", image_url: { url: PNG, detail: "low" } }] }]],
  [
    "linked pictures",
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://x.org/a" } }] }],
  ],
  ["odd pictures", [{ role: "user", content: [{ type: "image_url", image_url: { url: "gs://x" } }] }]],
  ["a PDF", [{ role: "user", content: [{ type: "file", file: { file_data: PDF, filename: "a.pdf" } }] }]],
  ["a PDF without a name", [{ role: "user", content: [{ type: "file", file: { file_data: PDF } }] }]],
  ["an uploaded file", [{ role: "user", content: [{ type: "file", file: { file_id: "f1" } }] }]],
  ["sound", [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "", format: "wav" } }] }]],
  ["an unknown part", [{ role: "user", content: [{ type: "video_url", video_url: { url: "x" } }] }]],
  [
    "a part with a member of our name",
    [{ role: "user", content: [{ type: "file", file: {}, openai: { type: "x" } }] }],
  ],
  ["a part with the name of our block", [{ role: "user", content: [{ type: "tool_result", id: 1 }] }]],
  [
    "an answer that is null beside a call",
    [{ role: "assistant", content: null, tool_calls: [call("c1", "{}")] }],
  ],
  ["an empty answer beside a call", [{ role: "assistant", content: "", tool_calls: [call("c1", "{}")] }]],
  ["no answer beside a call", [{ role: "assistant", tool_calls: [call("c1", "{}")] }]],
  [
    "text beside a call",
    [{ role: "assistant", content: "ok", tool_calls: [call("c1", "{}")], refusal: null }],
  ],
  ["no calls", [{ role: "assistant", content: "ok", tool_calls: [], annotations: [] }]],
  ["spaces in arguments", [{ role: "assistant", content: null, tool_calls: [call("c1", '{"a": 1}')] }]],
  ["cut-off arguments", [{ role: "assistant", content: null, tool_calls: [call("c1", '{"a": ')] }]],
  ["empty arguments", [{ role: "assistant", content: null, tool_calls: [call("c1", "")] }]],
  ["arguments that are no object", [{ role: "assistant", content: null, tool_calls: [call("c1", "[1]")] }]],
  [
    "arguments with __proto__",
    [{ role: "assistant", content: null, tool_calls: [call("c1", '{"__proto__":1}')] }],
  ],
  [
    "arguments with -0 and 2^60",
    [{ role: "assistant", tool_calls: [call("c1", '{"a":-0,"b":1152921504606846977}')] }],
  ],
  [
    "too deep arguments",
    [{ role: "assistant", tool_calls: [call("c1", `${'{"a":'.repeat(63)}1${"}".repeat(63)}`)] }],
  ],
  ["a call without an id", [{ role: "assistant", content: null, tool_calls: [call("", "{}")] }]],
  [
    "a custom call",
    [{ role: "assistant", tool_calls: [{ id: "c", type: "custom", custom: { name: "sh", input: "ls" } }] }],
  ],
  ["a broken call", [{ role: "assistant", content: null, tool_calls: [{ id: "c" }] }]],
  ["a refusal", [{ role: "assistant", content: null, refusal: "No." }]],
  ["a refusal as a part", [{ role: "assistant", content: [{ type: "refusal", refusal: "No." }] }]],
  ["spoken answers", [{ role: "assistant", content: null, audio: { id: "audio_1" } }]],
  ["thinking", [{ role: "assistant", content: "4", reasoning_content: "2+2" }]],
  ["thinking, twice", [{ role: "assistant", content: "4", reasoning: "2+2", reasoning_content: "2+2" }]],
  [
    "legacy functions",
    [
      { role: "assistant", content: null, function_call: { name: "read", arguments: "{ }" } },
      { role: "function", name: "read", content: "text" },
    ],
  ],
  [
    "results",
    [
      { role: "tool", tool_call_id: "c1", content: "" },
      { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "t" }], name: "read" },
      { role: "tool", tool_call_id: "c3", content: [{ type: "image_url", image_url: { url: PNG } }] },
      { role: "user", content: "and now?" },
    ],
  ],
];

describe("fromOpenAI and back", () => {
  it.each(foreign)("keeps %s", (_title, list) => {
    const before = structuredClone(list);
    const messages = fromOpenAI(list);
    expect(toOpenAI(messages)).toEqual(list);
    expect(toOpenAI(messages, { lossless: true })).toEqual(list);
    expect(list).toEqual(before);
    for (const message of messages) {
      const stored = checkMessage(message).message;
      expect(stored).toEqual(message);
    }
  });

  it("keeps any list", () => {
    fc.assert(
      fc.property(fc.array(openaiMessage(), { maxLength: 6 }), (list) => {
        expect(toOpenAI(fromOpenAI(list))).toEqual(list);
        expect(toOpenAI(fromOpenAI(list), { lossless: true })).toEqual(list);
      }),
      { numRuns: 500 },
    );
  });
});

describe("fromOpenAI", () => {
  it("puts the results of parallel calls into one user message, as Claude requires", () => {
    const messages = fromOpenAI([
      { role: "assistant", content: null, tool_calls: [call("c1", '{"a":1}'), call("c2", "{}")] },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "two" },
    ]);
    expect(messages).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "read", input: { a: 1 } },
          { type: "tool_use", id: "c2", name: "read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "one" },
          { type: "tool_result", tool_use_id: "c2", content: "two" },
        ],
      },
    ]);
    expect(toClaude(messages)).toEqual(messages);
  });

  it("keeps the text of broken arguments beside an object that holds it", () => {
    const [message] = fromOpenAI([{ role: "assistant", content: null, tool_calls: [call("c1", '{"a": ')] }]);
    expect(message?.content).toEqual([
      {
        type: "tool_use",
        id: "c1",
        name: "read",
        input: { arguments: '{"a": ' },
        openai: { function: { arguments: '{"a": ' } },
      },
    ]);
  });

  it("keeps properties that have no place in extra", () => {
    expect(fromOpenAI([{ role: "user", content: "x", name: "Ann" }])[0]?.extra).toEqual({
      openai: { name: "Ann" },
    });
  });

  it("stores an image once", () => {
    const [message] = fromOpenAI([
      { role: "user", content: [{ type: "image_url", image_url: { url: PNG, detail: "low" } }] },
    ]);
    expect(message).toEqual({
      role: "user",
      content: [
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
          openai: { image_url: { detail: "low" } },
        },
      ],
    });
  });

  it.each([
    ["a value that is not an array", "x", "messages"],
    ["an unknown role", [{ role: "model", content: "x" }], "messages[0].role"],
  ])("refuses %s", (_what, input, field) => {
    expect(() => fromOpenAI(input as unknown as object[])).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field }),
    );
  });
});

describe("toOpenAI", () => {
  const mixed: Message = {
    role: "user",
    content: [
      { type: "text", text: "and this?", cache_control: { type: "ephemeral" } },
      {
        type: "tool_result",
        tool_use_id: "c1",
        content: [
          { type: "text", text: "a screen" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
    ],
  };

  it("sends results first, and their images with the user's text", () => {
    expect(toOpenAI([mixed])).toEqual([
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "a screen" }] },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: PNG } },
          { type: "text", text: "and this?" },
        ],
      },
    ]);
  });

  it("reads the messages made from one as one again", () => {
    const list = toOpenAI([mixed, { role: "user", content: "next" }], { lossless: true });
    expect(list).toHaveLength(3);
    expect(fromOpenAI(list)).toEqual([mixed, { role: "user", content: "next" }]);
  });

  it("marks only the boundary between results of two messages", () => {
    const result = (id: string): Message => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: "x" }],
    });
    const list = toOpenAI([result("a"), result("b")], { lossless: true });
    expect(list.map((message) => message._colloquy)).toEqual([undefined, {}]);
    expect(fromOpenAI(list)).toEqual([result("a"), result("b")]);
  });

  it("drops thinking of other providers, and marks a message where nothing else is left", () => {
    const thinking = { type: "thinking", thinking: "hm", signature: "s" };
    expect(toOpenAI([{ role: "assistant", content: [thinking, { type: "text", text: "hi" }] }])).toEqual([
      { role: "assistant", content: [{ type: "text", text: "hi" }] },
    ]);
    expect(toOpenAI([{ role: "assistant", content: [thinking] }])).toEqual([
      { role: "assistant", content: "[thinking]" },
    ]);
  });

  it("sends edited content, not the original from OpenAI", () => {
    const [message] = fromOpenAI([
      { role: "assistant", content: "", tool_calls: [call("c1", '{"a": 1}')], name: "bot" },
    ]) as [Message];
    const [block] = message.content as [object];
    const edited = { ...message, content: [{ ...block, input: { a: 2 } }] } as unknown as Message;
    expect(toOpenAI([edited])).toEqual([
      { role: "assistant", content: "", name: "bot", tool_calls: [call("c1", '{"a":2}')] },
    ]);
  });

  it("splits messages that were edited under a stale mark, and keeps every one", () => {
    const [tool, user] = toOpenAI([mixed], { lossless: true });
    const list = [{ ...tool, content: "edited" }, { role: "assistant", content: "new" }, { ...user }];
    const roles = fromOpenAI(list).map((message) => message.role);
    expect(roles).toEqual(["user", "assistant", "user"]);
  });
});

function openaiMessage(): fc.Arbitrary<object> {
  const text = fc.string({ unit: "binary" });
  // The second cannot be turned into text, which a careless template would try.
  const any = fc
    .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ toString: 0 }))
    .map((value) => JSON.stringify(value))
    .filter((json) => !json.includes("__proto__"))
    .map((json) => JSON.parse(json));
  const url = fc.constantFrom(PNG, PDF, "https://x.org/a.png", "data:,x", "");
  const part = fc.oneof(
    fc.record({ type: fc.constantFrom("text", "refusal", "image", "audio", "brand_new"), text, extra: any }),
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constant("image_url"), image_url: fc.oneof(fc.record({ url, detail: any }), any) }),
    fc.record({
      type: fc.constant("file"),
      file: fc.record({ file_data: url, filename: any }, { requiredKeys: [] }),
    }),
    any,
  );
  const named = fc.record({ name: fc.constantFrom("a", "b", ""), arguments: fc.oneof(fc.json(), text, any) });
  const toolCall = fc.oneof(
    fc.record({ id: fc.constantFrom("c1", "c2", ""), type: fc.constant("function"), function: named }),
    fc.record({ id: text, type: fc.constant("custom"), custom: fc.record({ name: text, input: text }) }),
    any,
  );
  const content = fc.oneof(text, fc.constant(null), fc.array(part, { maxLength: 3 }), any);
  const members = {
    name: any,
    refusal: any,
    reasoning_content: any,
    reasoning: any,
    audio: any,
    tool_calls: any,
  };
  const tool = fc.constantFrom("tool", "function");
  return fc.oneof(
    fc.record({ role: tool, tool_call_id: text, content, name: any }, { requiredKeys: ["role"] }),
    fc.record(
      { role: fc.constantFrom("user", "system", "developer", "assistant"), content, ...members },
      { requiredKeys: ["role"] },
    ),
    fc.record(
      {
        role: fc.constant("assistant"),
        content: fc.oneof(text, fc.constant(null)),
        tool_calls: fc.array(toolCall, { maxLength: 3 }),
        function_call: named,
        reasoning_content: text,
        refusal: text,
      },
      { requiredKeys: ["role"] },
    ),
  );
}
