import { describe, expect, it } from "vitest";
import type { ColloquyError } from "../../errors.ts";
import type { Json, JsonObject } from "../../util/json.ts";
import { checkInput } from "./check-input.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 2, maxLength: 5 },
    limit: { type: "integer", minimum: 1, maximum: 10 },
    ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    order: { enum: ["best", "newest", null] },
    kind: { const: "x" },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    who: { type: ["string", "null"] },
    where: {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      ],
    },
    both: { allOf: [{ type: "number" }, { minimum: 3 }] },
    map: { type: "object", additionalProperties: { type: "boolean" } },
    odd: { type: "date", pattern: "^(a+)+$", format: "email", $ref: "#/nowhere", deep: { type: "object" } },
  },
  required: ["query"],
  additionalProperties: false,
};

function problem(input: unknown): string {
  try {
    checkInput(schema, input);
    return "";
  } catch (error) {
    const { code, field, message } = error as ColloquyError;
    expect(code).toBe("VALIDATION_ERROR");
    return `${field}: ${message}`;
  }
}

describe("the input of a tool", () => {
  it.each<readonly [Json, string]>([
    [{}, "query: query is missing"],
    [[], "input: input must be an object"],
    ["x", "input: input must be an object"],
    [{ query: 1 }, "query: query must be a string"],
    [{ query: "a" }, "query: query must have at least 2 characters"],
    [{ query: "abcdef" }, "query: query must have at most 5 characters"],
    [{ query: "😀" }, "query: query must have at least 2 characters"],
    [{ query: "abc", limit: 1.5 }, "limit: limit must be an integer"],
    [{ query: "abc", limit: 0 }, "limit: limit must be at least 1"],
    [{ query: "abc", limit: 11 }, "limit: limit must be at most 10"],
    [{ query: "abc", ratio: 0 }, "ratio: ratio must be more than 0"],
    [{ query: "abc", ratio: 1 }, "ratio: ratio must be less than 1"],
    [{ query: "abc", order: "worst" }, 'order: order must be "best", "newest", null'],
    [{ query: "abc", kind: "y" }, 'kind: kind must be "x"'],
    [{ query: "abc", tags: [] }, "tags: tags must have at least 1 items"],
    [{ query: "abc", tags: ["a", "b", "c"] }, "tags: tags must have at most 2 items"],
    [{ query: "abc", tags: ["a", 1] }, "tags[1]: tags[1] must be a string"],
    [{ query: "abc", who: 1 }, "who: who must be a string or null"],
    [{ query: "abc", where: {} }, "where.city: where.city is missing"],
    [{ query: "abc", where: 7 }, "where: where must be a string"],
    [{ query: "abc", both: 2 }, "both: both must be at least 3"],
    [{ query: "abc", map: { a: true, b: 1 } }, "map.b: map.b must be true or false"],
    [{ query: "abc", map: null }, "map: map must be an object"],
  ])("says of %j: %s", (input, message) => {
    expect(problem(input)).toBe(message);
  });

  it("names the properties that exist when one does not", () => {
    expect(problem({ query: "abc", qeury: 1 })).toMatch(/^qeury: qeury is not one of query, limit, /);
  });

  it("accepts what the schema allows, and ignores keywords that it does not know", () => {
    const input = {
      query: "😀😀😀😀😀",
      limit: 10,
      ratio: 0.5,
      order: null,
      kind: "x",
      tags: ["a"],
      who: null,
      where: { city: "Bern", country: "CH" },
      both: 3,
      map: { a: true },
      odd: `${"a".repeat(40)}!`,
    };
    expect(problem(input)).toBe("");
    expect(problem({ query: "abc", where: "Bern" })).toBe("");
  });

  it("finds no property in the prototype of an object", () => {
    const strict = { type: "object", required: ["toString"], additionalProperties: false };
    expect(() => checkInput(strict, {})).toThrow("toString is missing");
    expect(() =>
      checkInput({ type: "object", properties: {}, additionalProperties: false }, { valueOf: 1 }),
    ).toThrow("valueOf is not known");
  });

  it("refuses what JSON cannot hold, and values that are too deep", () => {
    let deep: Json = 1;
    for (let level = 0; level < 100; level++) deep = [deep];
    expect(problem({ query: "abc", odd: deep })).toMatch(/^input: .*nested deeper than 64 levels/);
    expect(problem({ query: "abc", limit: Number.NaN })).toMatch(/^input.limit: /);
    expect(problem(JSON.parse('{"query":"abc","__proto__":{"a":1}}'))).toMatch(/__proto__/);
  });
});
