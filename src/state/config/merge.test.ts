import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { fc } from "../../../test/support/fast-check.ts";
import type { Json } from "../../util/json.ts";
import { plain, treeOf } from "./located.ts";
import { INCLUDE_RULES, type MergeRules, merge, PATCH_RULES } from "./merge.ts";
import { overrideOf } from "./override.ts";

const source = { kind: "file", file: null } as const;
const merged = (base: Json, over: Json, rules: MergeRules): Json =>
  plain(merge(treeOf(base, source), treeOf(over, source), rules));

/** The examples of RFC 7396, appendix A. */
const RFC_7396: readonly (readonly [Json, Json, Json])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("merging", () => {
  it.each(RFC_7396)("follows RFC 7396: %j and %j", (base, over, expected) => {
    expect(merged(base, over, PATCH_RULES)).toEqual(expected);
  });

  it("of includes joins lists and keeps nulls", () => {
    expect(merged({ a: [1], b: 1 }, { a: [2], b: null }, INCLUDE_RULES)).toEqual({ a: [1, 2], b: null });
  });

  it("does not modify its arguments", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (base, over) => {
        fc.pre(!/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify([base, over])));
        const [left, right] = [treeOf(base as Json, source), treeOf(over as Json, source)];
        merge(left, right, PATCH_RULES);
        expect([plain(left), plain(right)]).toEqual([base, over]);
      }),
    );
  });

  it.each(["__proto__", "constructor", "prototype"])("refuses the key %s", (key) => {
    const over = treeOf(JSON.parse(`{ "a": { "${key}": { "x": 1 } } }`), source);
    expect(() => merge(treeOf({}, source), over, INCLUDE_RULES)).toThrow(/is not allowed/);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe("config.d", () => {
  it("is applied in the order of the names, with variables, and removes with null", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ ui: { a: 1, b: 1, c: 1, d: [1] } }",
      "config.d/20.json5": "{ ui: { a: 20, d: [2] } }",
      "config.d/10.json5": `{ ui: { a: 10, b: '\${X}', c: null } }`,
      "config.d/30.json": "{ ui: { a: 30 } }",
      "config.d/.40.json5": "{ ui: { a: 40 } }",
    });
    expect((await folder.load({ env: { X: "x" } })).value.ui).toEqual({ a: 20, b: "x", d: [2] });
    folder.write("config.d/99.json5", "{ ui: { a: 99 } }");
    expect((await folder.load({ env: { X: "x" } })).value.ui).toMatchObject({ a: 99 });
  });

  it("works without a main file", async () => {
    using folder = new TrialFolder({ "config.d/1.json5": "{ gateway: { port: 7 } }" });
    expect((await folder.load()).value.gateway).toMatchObject({ port: 7 });
  });
});

describe("the command line", () => {
  it("wins over files, and is checked like them", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ gateway: { port: 1 } }",
      "config.d/1.json5": "{ gateway: { port: 2 } }",
    });
    const load = (...typed: string[]) => folder.load({ overrides: typed.map(overrideOf) });
    expect((await load("gateway.port=3")).value.gateway).toMatchObject({ port: 3 });
    await expect(load("gateway.port=three")).rejects.toThrow("gateway.port must be an integer");
  });

  it.each([
    ["gateway.port=3", ["gateway", "port"], 3],
    ["models.default=3", ["models", "default"], "3"],
    ["models.default='x=y'", ["models", "default"], "x=y"],
    ["ui.a={ b: 1 }", ["ui", "a"], { b: 1 }],
    ["ui.a=plain words", ["ui", "a"], "plain words"],
    ['env.vars["A=B"]=c=d', ["env", "vars", "A=B"], "c=d"],
    ["ui.list[2]=true", ["ui", "list", "2"], true],
    ["ui.a=", ["ui", "a"], ""],
  ])("takes %s", (typed, path, value) => {
    expect(overrideOf(typed)).toEqual({ path, value });
  });

  it.each(["x", "=1", "a..b=1", "a[=1", "__proto__.x=1", "ui.a={ b: ", "sessions.tree=three"])(
    "refuses %s",
    (typed) => {
      expect(() => overrideOf(typed)).toThrow();
    },
  );
});
