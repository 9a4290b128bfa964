import { describe, expect, it } from "vitest";
import { ColloquyError } from "../../errors.ts";
import { jsonOf, nodeAt } from "./nodes.ts";
import { JSON5_BYTES_MAX, parseJson5 } from "./parse.ts";

const read = (text: string): unknown => jsonOf(parseJson5(text, "c.json5"), "c.json5");

function failure(text: string): ColloquyError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ColloquyError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

const VALUES: readonly (readonly [string, unknown])[] = [
  ["{}", {}],
  ["[]", []],
  ["\ufeff{ }\n", {}],
  ["{a: 1, $b_2: 'x', ümläut: true, \\u0061b: null}", { a: 1, $b_2: "x", ümläut: true, ab: null }],
  ["{'single': \"double\", \"quo'te\": 'd\"q'}", { single: "double", "quo'te": 'd"q' }],
  ["[1, 2,]", [1, 2]],
  ["{a: [ ], b: {},}", { a: [], b: {} }],
  ["[+1, -1, .5, 5., 1e3, -2.5E-1, 0xFF, -0x10, 0]", [1, -1, 0.5, 5, 1000, -0.25, 255, -16, 0]],
  ["// line\n/* block\n * more */ {a: /* in */ 1 // end\n}", { a: 1 }],
  ["'a\\\nb\\\r\nc'", "abc"],
  ["'\\x41\\u0042\\n\\t\\v\\0\\'\\q\\\\'", "AB\n\t\v\0'q\\"],
  ["'\u2028'", "\u2028"],
  ["{\u00a0a\u2029:\u30001}", { a: 1 }],
  ["{a: 1, b: 2, a: 3}", { a: 3, b: 2 }],
  ["{true: true, null: null}", { true: true, null: null }],
  ['"\\ud83d\\ude00"', "😀"],
];

const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ["", "1:1", /file is empty/],
  ["  // only a comment", "1:20", /file is empty/],
  ["{\n  a: 1\n  b: 2\n}", "3:3", /Expected "," or "}"/],
  ["{ a: 1", "1:1", /no matching "}"/],
  ["{ a", "1:4", /Expected ":" after the key/],
  ["{ a: }", "1:6", /[Ee]xpected a value/],
  ["{ a:", "1:5", /expected a value/],
  ["[1 2]", "1:4", /Expected "," or "]"/],
  ["[1", "1:1", /no matching "]"/],
  ["{,}", "1:2", /Expected a key/],
  ["{ 1a: 2 }", "1:3", /Expected a key/],
  ["{ a-b: 2 }", "1:4", /Expected ":" after the key/],
  ["{} {}", "1:4", /after the value/],
  ["'abc\ndef'", "1:1", /no closing quote/],
  ["'abc", "1:1", /no closing quote/],
  ["{ a: 'x\\", "1:8", /end of input in an escape/],
  ["'\\1'", "1:2", /Octal/],
  ["'\\u12G4'", "1:4", /4 hexadecimal digits/],
  ["/* never ends", "1:1", /comment has no end/],
  ["{ a: / }", "1:6", /is not a comment/],
  ["[012]", "1:2", /not a valid number/],
  ["[1.2.3]", "1:2", /not a valid number/],
  ["[-]", "1:2", /not a valid number/],
  ["[NaN]", "1:2", /are not allowed/],
  ["[-Infinity]", "1:2", /are not allowed/],
  ["[1e999]", "1:2", /too large/],
  ["[truely]", "1:2", /[Ee]xpected a value/],
  ["{\r\n  a: 1,\r\n  b c\r\n}", "3:5", /Expected ":" after the key/],
  ['{ "__proto__": {} }', "1:3", /"__proto__" is not allowed/],
  ["{ a: [{ constructor: 1 }] }", "1:9", /"constructor" is not allowed/],
  ["{ a: 1,\n prototype: 1 }", "2:2", /"prototype" is not allowed/],
  ["[".repeat(65), "1:65", /deeper than 64/],
];

describe("JSON5", () => {
  it.each(VALUES)("is read: %j", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each(BROKEN)("with a syntax error names its position: %j at %s", (text, place, message) => {
    const error = failure(text);
    const [line, column] = place.split(":").map(Number);
    expect(error.code).toBe("VALIDATION_ERROR");
    expect(error.details).toEqual({ file: "c.json5", line, column });
    expect(error.message).toMatch(message);
    expect(error.message.startsWith(`c.json5:${place}: `)).toBe(true);
  });

  it("is read to a depth of 64", () => {
    expect(() => read("[".repeat(64) + "]".repeat(64))).not.toThrow();
  });

  it("is read up to 2 MiB, counted in bytes", () => {
    expect(read(`"${"x".repeat(JSON5_BYTES_MAX - 2)}"`)).toHaveLength(JSON5_BYTES_MAX - 2);
    expect(failure(`"${"ü".repeat(JSON5_BYTES_MAX / 2)}"`).message).toMatch(/larger than 2 MiB/);
  });

  it("knows the position of every part", () => {
    const node = parseJson5("{\n  // c\n  a: { b: [10, 'x'] },\n}", "f");
    const item = nodeAt(node, ["a", "b", "1"]);
    expect(item).toMatchObject({ type: "string", value: "x", start: { line: 3, column: 16, offset: 24 } });
    expect(nodeAt(node, ["a", "b", "2"])).toBeUndefined();
    expect(nodeAt(node, ["a", "b", "01"])).toBeUndefined();
    expect(nodeAt(node, ["a", "toString"])).toBeUndefined();
  });
});
