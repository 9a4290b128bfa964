import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { isPlainObject, type JsonObject } from "../util/json.ts";
import { messageSchema } from "./schema.ts";
import { checkMessage } from "./validate.ts";

const user = { role: "user", content: "x" };
const block = (members: object): object => ({ role: "user", content: [members] });

const cases: [what: string, message: unknown][] = [
  ["text", user],
  ["no object", "x"],
  ["no content", { role: "user" }],
  ["an unknown role", { role: "tool", content: "x" }],
  ["white space", { role: "user", content: "\u00a0\ufeff\n" }],
  ["no blocks", { role: "user", content: [] }],
  ["empty text", block({ type: "text", text: " " })],
  ["an unknown block", block({ type: "brand_new", text: 1 })],
  ["a block without a type", block({ text: "x" })],
  ["a block with an empty type", block({ type: "" })],
  ["text of a wrong type", block({ type: "text", text: 1 })],
  ["an image", block({ type: "image", source: {} })],
  ["an image without a source", block({ type: "image" })],
  ["a document with text as its source", block({ type: "document", source: "x" })],
  ["empty thinking", block({ type: "thinking", thinking: "" })],
  ["thinking without any", block({ type: "thinking" })],
  ["redacted thinking", block({ type: "redacted_thinking", data: "" })],
  ["redacted thinking without data", block({ type: "redacted_thinking" })],
  ["a call", block({ type: "tool_use", id: "i", name: "n", input: {} })],
  ["a call with an empty id", block({ type: "tool_use", id: "", name: "n", input: {} })],
  ["a call with a list", block({ type: "tool_use", id: "i", name: "n", input: [] })],
  ["an empty result", block({ type: "tool_result", tool_use_id: "i" })],
  ["a result of blocks", block({ type: "tool_result", tool_use_id: "i", content: [{}] })],
  ["a result of texts", block({ type: "tool_result", tool_use_id: "i", content: ["x"] })],
  ["a result that is null", block({ type: "tool_result", tool_use_id: "i", content: null })],
  [
    "every member",
    {
      ...user,
      model: "m",
      usage: {},
      stopReason: "",
      endState: "stopped",
      provenance: {},
      source: 1,
      extra: {},
    },
  ],
  ["an unknown member", { ...user, mood: "good" }],
  ["an unknown end state", { ...user, endState: "done" }],
  ["usage that is null", { ...user, usage: null }],
  ["a source that is null", { ...user, source: null }],
  ["an id", { ...user, id: "é" }],
  ["an empty id", { ...user, id: "" }],
  ["an id with a control character", { ...user, id: "a\u007f" }],
  ["an id that is too long", { ...user, id: "x".repeat(257) }],
  ["a time", { ...user, at: "2025-01-21T19:30:00Z" }],
  ["a time that is a number", { ...user, at: 1 }],
];

describe("messageSchema", () => {
  it.each(cases)("agrees with the store on %s", (_what, message) => {
    expect(matches(messageSchema, message)).toBe(accepted(message));
  });

  it("agrees with the store on any message", () => {
    fc.assert(
      fc.property(anyMessage(), (message) => {
        expect(matches(messageSchema, message)).toBe(accepted(message));
      }),
      { numRuns: 1000 },
    );
  });

  it("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(messageSchema))).toEqual(messageSchema);
  });
});

function accepted(message: unknown): boolean {
  try {
    checkMessage(message);
    return true;
  } catch {
    return false;
  }
}

function anyMessage(): fc.Arbitrary<object> {
  const text = fc.constantFrom("", " ", "x");
  const value = fc.oneof(text, fc.constantFrom(null, 1, {}, [], [{}], ["x"]));
  const type = fc.constantFrom(
    "text",
    "image",
    "document",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "new",
    "",
  );
  const members = {
    text: value,
    source: value,
    thinking: value,
    data: value,
    id: value,
    name: value,
    input: value,
  };
  const blocks = fc.record({ type, ...members, tool_use_id: value, content: value }, { requiredKeys: [] });
  const content = fc.oneof(text, fc.array(blocks, { maxLength: 3 }), value);
  const beside = {
    model: value,
    usage: value,
    stopReason: value,
    endState: value,
    source: value,
    extra: value,
    id: value,
  };
  return fc.record(
    { role: fc.constantFrom("user", "system", "tool"), content, ...beside },
    { requiredKeys: ["role"] },
  );
}

type Rule = (argument: never, value: unknown, schema: JsonObject) => boolean;

/** The keywords that the schema uses, as JSON Schema 2020-12 defines them. Another one fails the test. */
const KEYWORDS: Record<string, Rule> = {
  type: (type: string, value) => typeOf(value) === type,
  const: (wanted: unknown, value) => wanted === value,
  enum: (list: unknown[], value) => list.includes(value),
  minLength: (min: number, value) => typeof value !== "string" || [...value].length >= min,
  maxLength: (max: number, value) => typeof value !== "string" || [...value].length <= max,
  pattern: (source: string, value) => typeof value !== "string" || new RegExp(source, "u").test(value),
  required: (names: string[], value) =>
    !isPlainObject(value) || names.every((name) => Object.hasOwn(value, name)),
  properties: (rules: JsonObject, value) =>
    !isPlainObject(value) ||
    Object.keys(value).every((name) => !(name in rules) || matches(rules[name], value[name])),
  additionalProperties: (_never: false, value, schema) =>
    !isPlainObject(value) || Object.keys(value).every((name) => name in (schema.properties as object)),
  items: (rule: JsonObject, value) => !Array.isArray(value) || value.every((item) => matches(rule, item)),
  contains: (rule: JsonObject, value) => !Array.isArray(value) || value.some((item) => matches(rule, item)),
  allOf: (rules: JsonObject[], value) => rules.every((rule) => matches(rule, value)),
  anyOf: (rules: JsonObject[], value) => rules.some((rule) => matches(rule, value)),
  not: (rule: JsonObject, value) => !matches(rule, value),
  $ref: (_path: "#/$defs/block", value) => matches((messageSchema.$defs as JsonObject).block, value),
};
const SILENT = new Set(["$schema", "$defs", "title", "format"]);

function matches(schema: unknown, value: unknown): boolean {
  if (typeof schema === "boolean") return schema;
  return Object.entries(schema as JsonObject).every(([keyword, argument]) => {
    if (SILENT.has(keyword)) return true;
    const rule = KEYWORDS[keyword];
    if (rule === undefined) throw new Error(`The test does not know the keyword ${keyword}`);
    return rule(argument as never, value, schema as JsonObject);
  });
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return value === null ? "null" : typeof value;
}
