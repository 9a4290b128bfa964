import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { formatPath, parsePath } from "./config-path.ts";

describe("paths of the config", () => {
  it.each([
    ["gateway.port", ["gateway", "port"]],
    ["a[0].b", ["a", "0", "b"]],
    ["a.0.b", ["a", "0", "b"]],
    ['env.vars["A.B"]', ["env", "vars", "A.B"]],
    ['a["x\\"y"][2]', ["a", 'x"y', "2"]],
    ["with space.ü-1", ["with space", "ü-1"]],
  ])("are read: %s", (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  it.each([
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a[",
    "a[x]",
    "a[-1]",
    'a["x]',
    "a]b",
    "x.__proto__",
    "a.constructor.b",
    "x".repeat(1025),
  ])("are refused: %s", (text) => {
    expect(() => parsePath(text)).toThrow();
  });

  it("are written so that they can be read again", () => {
    const key = fc.string().filter((text) => !["__proto__", "constructor", "prototype"].includes(text));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), (path) => {
        fc.pre(formatPath(path).length <= 1024);
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });
});
