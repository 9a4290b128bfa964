import { describe, expect, it } from "vitest";
import { assertJson, isPlainObject, JSON_DEPTH_MAX } from "../util/json.ts";
import * as validate from "./validate.ts";

const { checkMessage } = validate;
const user = { role: "user", content: "x" };
const LONE = "\ud800";

function refusal(message: string | RegExp, field: string): object {
  const text = typeof message === "string" ? message : expect.stringMatching(message);
  return expect.objectContaining({ name: "ColloquyError", code: "VALIDATION_ERROR", message: text, field });
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { value };
  return value;
}

function withBlock(block: unknown): object {
  return { role: "user", content: [block] };
}

const cyclic: Record<string, unknown> = {};
cyclic.self = [cyclic];

describe("checkMessage rejects", () => {
  it.each<[what: string, input: unknown, message: string | RegExp, field: string]>([
    ["text", "x", "A message must be an object", "message"],
    ["null", null, "A message must be an object", "message"],
    ["a list", [], "A message must be an object", "message"],
    ["an instance of a class", new Date(), "A message must be an object", "message"],
    ["a missing role", { content: "x" }, "Invalid message role", "role"],
    ["a tool's role", { role: "tool", content: "x" }, "Invalid message role", "role"],
    ["missing content", { role: "user" }, "Message content required", "content"],
    ["null as content", { role: "user", content: null }, "Message content required", "content"],
    ["empty content", { role: "user", content: "" }, "Message content required", "content"],
    ["white space", { role: "user", content: " \n\t\u00a0\ufeff" }, "Message content required", "content"],
    ["no blocks", { role: "user", content: [] }, "Message content required", "content"],
    ["empty text blocks", withBlock({ type: "text", text: " " }), "Message content required", "content"],
    ["a block that is text", withBlock("x"), "content[0] must be a block", "content[0]"],
    ["a block that is null", withBlock(null), "content[0] must be a block", "content[0]"],
    ["a block without a type", withBlock({ text: "x" }), "content[0] has no type", "content[0].type"],
    ["a block with an empty type", withBlock({ type: "" }), "content[0] has no type", "content[0].type"],
    ["an unknown property", { ...user, mood: "good" }, /^Unknown message property "mood"/, "mood"],
    [
      "a member __proto__",
      JSON.parse('{"role":"user","content":"x","__proto__":1}'),
      /"__proto__"/,
      "__proto__",
    ],
    ["a model that is not a string", { ...user, model: 4 }, "Invalid message model", "model"],
    ["usage that is not an object", { ...user, usage: [1] }, "Invalid message usage", "usage"],
    ["a stop reason that is null", { ...user, stopReason: null }, "Invalid message stopReason", "stopReason"],
    ["an unknown end state", { ...user, endState: "done" }, "Invalid message endState", "endState"],
    ["provenance that is text", { ...user, provenance: "x" }, "Invalid message provenance", "provenance"],
    ["extra that is a list", { ...user, extra: [] }, "Invalid message extra", "extra"],
    ["an empty id", { ...user, id: "" }, /it is empty/, "id"],
    ["an id that is a number", { ...user, id: 1 }, /expected a string/, "id"],
    ["an id with a line break", { ...user, id: "a\nb" }, /control characters/, "id"],
    ["an id with a delete character", { ...user, id: "a\u007f" }, /control characters/, "id"],
    ["an id with half a surrogate pair", { ...user, id: `a${LONE}` }, /half a surrogate pair/, "id"],
    ["an id of 257 bytes", { ...user, id: `${"é".repeat(128)}x` }, /longer than 256 bytes/, "id"],
    ["a time that is none", { ...user, at: "yesterday" }, /ISO 8601/, "at"],
    ["a time that is a number", { ...user, at: 1 }, /ISO 8601/, "at"],
  ])("%s", (_what, input, message, field) => {
    expect(() => checkMessage(input)).toThrow(refusal(message, field));
  });

  it.each<[type: string, members: object, wrong: string]>([
    ["text", {}, "text"],
    ["text", { text: 1 }, "text"],
    ["image", { source: "x" }, "source"],
    ["document", {}, "source"],
    ["thinking", { thinking: null }, "thinking"],
    ["redacted_thinking", {}, "data"],
    ["tool_use", { name: "n", input: {} }, "id"],
    ["tool_use", { id: "", name: "n", input: {} }, "id"],
    ["tool_use", { id: "i", name: "", input: {} }, "name"],
    ["tool_use", { id: "i", name: "n", input: "{}" }, "input"],
    ["tool_use", { id: "i", name: "n", input: [] }, "input"],
    ["tool_result", {}, "tool_use_id"],
    ["tool_result", { tool_use_id: "i", content: null }, "content"],
    ["tool_result", { tool_use_id: "i", content: ["x"] }, "content"],
  ])("a %s block with %j", (type, members, wrong) => {
    const message = `content[0] is a ${type} block with an invalid ${wrong}`;
    expect(() => checkMessage(withBlock({ type, ...members }))).toThrow(
      refusal(message, `content[0].${wrong}`),
    );
  });
});

describe("checkMessage accepts", () => {
  it.each([
    ["text", user],
    ["a block of an unknown type", withBlock({ type: "brand_new", anything: [1, null] })],
    ["a block with the name of an object's member", withBlock({ type: "constructor" })],
    [
      "empty text beside a call",
      {
        role: "assistant",
        content: [
          { type: "text", text: "" },
          { type: "tool_use", id: "i", name: "n", input: {} },
        ],
      },
    ],
    ["an empty result", withBlock({ type: "tool_result", tool_use_id: "i" })],
    [
      "further members of a block",
      withBlock({ type: "text", text: "x", cache_control: { type: "ephemeral" } }),
    ],
    ["half a surrogate pair", { role: "user", content: LONE }],
    [
      "every member",
      {
        ...user,
        model: "m",
        usage: {},
        stopReason: "s",
        endState: "stopped",
        provenance: {},
        source: null,
        extra: {},
      },
    ],
  ])("%s, and returns it unchanged", (_what, input) => {
    const { message, json } = checkMessage(input);
    expect(message).toEqual(input);
    expect(JSON.parse(json)).toEqual(input);
  });

  it("an id and a time, and keeps them apart from the message", () => {
    const checked = checkMessage({ ...user, id: "é".repeat(128), at: "1970-01-01T00:00:01Z" });
    expect(checked).toMatchObject({ id: "é".repeat(128), atMs: 1000, message: user });
    expect(checked.message).toEqual(user);
  });

  it("undefined properties, as if they were missing", () => {
    expect(checkMessage({ ...user, model: undefined, id: undefined }).message).toEqual(user);
  });

  it("content, as a copy", () => {
    const input = { role: "user", content: [{ type: "text", text: "x" }] };
    const { message } = checkMessage(input);
    Object.assign(input.content[0] as object, { text: "changed" });
    expect(message.content).toEqual([{ type: "text", text: "x" }]);
  });

  it("-0 as 0 and integers beyond 2^53 as the double they are", () => {
    const { message } = checkMessage({ ...user, usage: { zero: -0, big: 2 ** 53 + 2 } });
    expect(message.usage).toEqual({ zero: 0, big: 9007199254740994 });
  });
});

describe("assertJson", () => {
  it.each<[what: string, value: unknown, message: string, field: string]>([
    ["undefined", undefined, "x is undefined, which JSON cannot hold", "x"],
    ["a member that is undefined", { a: undefined }, "x.a is undefined, which JSON cannot hold", "x.a"],
    ["a function", () => 1, "x is a function, which JSON cannot hold", "x"],
    ["a symbol", Symbol("s"), "x is a symbol, which JSON cannot hold", "x"],
    ["a BigInt", [1n], "x[0] is a bigint, which JSON cannot hold", "x[0]"],
    ["NaN", { a: [Number.NaN] }, "x.a[0] is NaN, which JSON cannot hold", "x.a[0]"],
    ["infinity", Number.NEGATIVE_INFINITY, "x is -Infinity, which JSON cannot hold", "x"],
    ["a Date", { at: new Date(0) }, "x.at is an instance of Date, which JSON cannot hold", "x.at"],
    ["a Map", new Map(), "x is an instance of Map, which JSON cannot hold", "x"],
    [
      "a hole in a list",
      Object.assign(new Array(2), [1]),
      "x[1] is undefined, which JSON cannot hold",
      "x[1]",
    ],
    [
      "a property __proto__",
      JSON.parse('{"a":{"__proto__":1}}'),
      "x.a has a property called __proto__",
      "x.a",
    ],
    ["a value that contains itself", cyclic, expect.stringContaining("contains itself"), "x"],
    ["65 levels", nested(JSON_DEPTH_MAX + 1), expect.stringContaining("deeper than 64 levels"), "x"],
  ])("rejects %s", (_what, value, message, field) => {
    expect(() => assertJson(value, "x")).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", message, field }),
    );
  });

  it.each([
    ["64 levels", nested(JSON_DEPTH_MAX)],
    ["null", null],
    ["half a surrogate pair", { [LONE]: LONE }],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["the same object twice", [user, user]],
    ["big numbers", [2 ** 53 + 2, 1.7976931348623157e308, -0]],
  ])("accepts %s", (_what, value) => {
    expect(() => assertJson(value, "x")).not.toThrow();
    expect(JSON.stringify(JSON.parse(JSON.stringify(value)))).toBe(JSON.stringify(value));
  });

  it("is applied to every property of a message", () => {
    expect(() => checkMessage({ ...user, extra: cyclic })).toThrow(refusal(/contains itself/, "extra"));
    expect(() => checkMessage(withBlock({ type: "x", at: new Date() }))).toThrow(
      refusal(/Date/, "content[0].at"),
    );
  });
});

describe("isPlainObject", () => {
  it.each([[null], [[]], ["x"], [new Date()], [undefined]])("says no to %j", (value) => {
    expect(isPlainObject(value)).toBe(false);
  });
  it.each([[{}], [Object.create(null)]])("says yes to %j", (value) => {
    expect(isPlainObject(value)).toBe(true);
  });
});

describe("checkTitle", () => {
  it("accepts 120 characters, counted as code points", () => {
    expect(validate.checkTitle("x".repeat(120))).toHaveLength(120);
    expect(validate.checkTitle("🦀".repeat(120))).toBe("🦀".repeat(120));
  });

  it.each([["x"], ["🦀"]])("rejects 121 times %s", (character) => {
    const message = "Title must be 120 chars or less";
    expect(() => validate.checkTitle(character.repeat(121))).toThrow(refusal(message, "title"));
  });

  it.each([
    ["", /^Title must not be empty/],
    ["\u3000 ", /^Title must not be empty/],
    ["\u200b\u202e", /^Title must not be empty/],
    ["a\tb", /^Title must not contain control characters$/],
    ["a\u0085b", /^Title must not contain control characters$/],
    ["a\u2028b", /^Title must not contain control characters$/],
  ])("rejects %j", (title, message) => {
    expect(() => validate.checkTitle(title)).toThrow(refusal(message, "title"));
  });

  it.each([[1], [null], [LONE]])("rejects %j", (title) => {
    expect(() => validate.checkTitle(title)).toThrow(refusal(/^Title must be a string/, "title"));
  });
});

describe("checkConversationId", () => {
  it("returns a UUID in lower case", () => {
    const id = "0190163D-8694-739B-AEA5-966C26F8AD91";
    expect(validate.checkConversationId(id)).toBe(id.toLowerCase());
  });

  it.each([[""], ["x"], [undefined], ["0190163d-8694-739b-aea5-966c26f8ad9"], ["../0190163d"]])(
    "rejects %j",
    (id) => {
      expect(() => validate.checkConversationId(id)).toThrow(refusal("Invalid conversation id", "id"));
    },
  );
});

describe("checkKey", () => {
  it("accepts a channel and a rest", () => {
    expect(validate.checkKey("discord:dm:42")).toBe("discord:dm:42");
    expect(validate.checkKey(`a:${"x".repeat(510)}`)).toHaveLength(512);
  });

  it.each([["x"], [":x"], ["x:"], [""], [7], ["a:\u0000"], [`a:${LONE}`], [`a:${"x".repeat(511)}`]])(
    "rejects %j",
    (key) => {
      expect(() => validate.checkKey(key)).toThrow(refusal(/^Invalid session key/, "key"));
    },
  );
});

describe("other names", () => {
  it("rejects them with the invalid field", () => {
    expect(() => validate.checkOperationId("")).toThrow(refusal(/^Invalid operation id/, "operationId"));
    expect(() => validate.checkEntryId("", "fromEntryId")).toThrow(
      refusal(/^Invalid entry id/, "fromEntryId"),
    );
    expect(() => validate.checkLabel("x".repeat(257), "model")).toThrow(refusal(/^Invalid model/, "model"));
  });

  it("may have up to 256 bytes", () => {
    expect(validate.checkLabel("x".repeat(256), "model")).toHaveLength(256);
    expect(validate.checkOperationId("op")).toBe("op");
  });
});
