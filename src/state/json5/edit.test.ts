import { describe, expect, it } from "vitest";
import type { Json } from "../../util/json.ts";
import { setAt } from "./edit.ts";
import { unsetAt } from "./remove.ts";

type SetRow = readonly [what: string, before: string, path: string, value: Json, after: string];

const SETS: readonly SetRow[] = [
  ["replaces in place", "{ a: 1, /* c */ b: 2 }", "a", 5, "{ a: 5, /* c */ b: 2 }"],
  ["keeps the quotes of a text", "{ a: 'x' }", "a", "it's", "{ a: 'it\\'s' }"],
  ["adds on the same line", "{ a: 1 }", "b", 2, "{ a: 1, b: 2 }"],
  ["keeps a trailing comma on the line", "{ a: 1, }", "b", 2, "{ a: 1, b: 2, }"],
  ["fills an empty object", "{}\n", "a", 1, '{\n  "a": 1\n}\n'],
  ["fills an empty object of two lines", "{\n}\n", "a", 1, '{\n  "a": 1\n}\n'],
  ["fills after a comment", "{\n  // none yet\n}\n", "a", 1, '{\n  // none yet\n  "a": 1\n}\n'],
  ["fills after a comment on the line", "{ /* none */ }", "a", 1, '{ /* none */ \n  "a": 1\n}'],
  ["adds a line", "{\n  a: 1\n}\n", "b", "x", '{\n  a: 1,\n  b: "x"\n}\n'],
  [
    "adds a line after the comment of the last",
    "{\n    a: 1 // one\n    // end\n}\n",
    "b",
    true,
    "{\n    a: 1, // one\n    b: true\n    // end\n}\n",
  ],
  ["keeps a trailing comma", "{\n\t'a': 1, // one\n}", "b", 2, "{\n\t'a': 1, // one\n\t'b': 2,\n}"],
  ["keeps Windows line ends", '{\r\n  "a": 1\r\n}', "b", 2, '{\r\n  "a": 1,\r\n  "b": 2\r\n}'],
  [
    "creates missing objects on the way",
    "{\n  a: {\n    b: 1,\n  },\n}",
    "a.c.d",
    [1, "x"],
    '{\n  a: {\n    b: 1,\n    c: {\n      d: [1, "x"]\n    },\n  },\n}',
  ],
  ["quotes a key that needs it", "{ a: 1 }", "b-c", 2, '{ a: 1, "b-c": 2 }'],
  ["appends to a list", "{ a: [1, 2] }", "a.2", 3, "{ a: [1, 2, 3] }"],
  ["replaces an item", "{ a: [1, 2] }", "a.0", 3, "{ a: [3, 2] }"],
  ["changes the last of two duplicate keys", "{ a: 1, a: 2 }", "a", 3, "{ a: 1, a: 3 }"],
  ["closes on the line of the last", "{ a: 1,\n  b: 2 }", "c", 3, "{ a: 1,\n  b: 2,\n  c: 3 }"],
];

type UnsetRow = readonly [what: string, before: string, path: string, after: string];

const UNSETS: readonly UnsetRow[] = [
  ["removes the line", "{\n  a: 1,\n  b: 2,\n}\n", "a", "{\n  b: 2,\n}\n"],
  ["removes the last, and the comma before it", "{\n  a: 1,\n  b: 2\n}\n", "b", "{\n  a: 1\n}\n"],
  ["keeps a comment beside it", "{\n  a: 1, // one\n  b: 2\n}", "a", "{\n  // one\n  b: 2\n}"],
  ["keeps a comment above it", "{\n  // one\n  a: 1,\n  b: 2\n}", "a", "{\n  // one\n  b: 2\n}"],
  ["keeps a comment before the comma", "{ a: 1 /* one */, b: 2 }", "a", "{  /* one */ b: 2 }"],
  ["removes the first on a line", "{ a: 1, b: 2 }", "a", "{ b: 2 }"],
  ["removes the last on a line", "{ a: 1, b: 2 }", "b", "{ a: 1 }"],
  ["removes the only one", "{ a: 1 }", "a", "{ }"],
  ["removes an item", "{ a: [1, 2, 3] }", "a.1", "{ a: [1, 3] }"],
  ["removes every duplicate of a key", "{ a: 1, b: 2, a: 3 }", "a", "{ b: 2 }"],
  ["leaves the text where there is nothing", "{ a: 1 }", "b.c", "{ a: 1 }"],
];

describe("setAt", () => {
  it.each(SETS)("%s", (_what, before, path, value, after) => {
    expect(setAt(before, path.split("."), value)).toBe(after);
  });

  it("refuses a place below a plain value", () => {
    expect(() => setAt("{ a: 1 }", ["a", "b"], 2)).toThrow(/"a" is a number/);
  });

  it("refuses an item beyond the list", () => {
    expect(() => setAt("{ a: [1] }", ["a", "7"], 2)).toThrow(/next item is a.1/);
  });

  it("refuses keys of the prototype", () => {
    expect(() => setAt("{}", ["__proto__", "x"], 2)).toThrow(/not allowed/);
  });
});

describe("unsetAt", () => {
  it.each(UNSETS)("%s", (_what, before, path, after) => {
    expect(unsetAt(before, path.split("."))).toBe(after);
  });
});
