import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import type { Json } from "../../util/json.ts";
import { setAt } from "./edit.ts";
import { jsonOf, nodeAt, type Path } from "./nodes.ts";
import { parseJson5 } from "./parse.ts";
import { unsetAt } from "./remove.ts";
import { Scanner } from "./scanner.ts";

const key = fc.constantFrom("a", "b", "c1", "$d", "with space", "ü", "it's", "x.y", 'q"');
const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("//", "/* x */", "\u2028", "\n", "it's", 'a "quote"', "{", ",", "\ud800"),
);
const { value } = fc.letrec<{ value: Json; object: Record<string, Json>; array: Json[] }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("object"), tie("array")),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  array: fc.array(tie("value"), { maxLength: 4 }),
}));
const object = fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true });

/** Draws from a list of numbers, so that a failing text shrinks. */
type Dice = (sides: number) => number;

const TRIVIA = ["", " ", "\n  ", "\t", " // line, } ]\n", '/* , } " */', "\r\n", "\n    // two\n    "];

/** One of the many ways to write a value, with comments anywhere. */
function written(json: Json, dice: Dice): string {
  const gap = (): string => TRIVIA[dice(TRIVIA.length)] as string;
  if (typeof json === "string") return quoted(json, dice);
  if (json === null || typeof json !== "object") return JSON.stringify(json);
  const isList = Array.isArray(json);
  const parts = isList
    ? json.map((item) => written(item, dice))
    : Object.entries(json).map(
        ([name, member]) => `${writtenKey(name, dice)}${gap()}:${gap()}${written(member as Json, dice)}`,
      );
  const list = parts.map((part, index) => {
    const comma = index < parts.length - 1 || dice(2) === 0 ? `${gap()},` : "";
    return gap() + part + comma;
  });
  return `${isList ? "[" : "{"}${list.join("")}${gap()}${isList ? "]" : "}"}`;
}

function quoted(text: string, dice: Dice): string {
  const json = JSON.stringify(text);
  if (dice(2) === 0) return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function writtenKey(name: string, dice: Dice): string {
  return /^[a-z$]\w*$/.test(name) && dice(2) === 0 ? name : quoted(name, dice);
}

const text = fc
  .tuple(object, fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }))
  .map(([json, rolls]) => {
    let next = 0;
    const dice: Dice = (sides) => (rolls[next++ % rolls.length] as number) % sides;
    return `${TRIVIA[dice(TRIVIA.length)]}${written(json, dice)}${TRIVIA[dice(TRIVIA.length)]}`;
  });

const path = fc.array(key, { minLength: 1, maxLength: 3 });
const read = (source: string): Json => jsonOf(parseJson5(source, "t"));

/** What `setAt` is to do, on plain values; `undefined` where it is to refuse. */
function modelSet(json: Json, [first, ...rest]: Path, put: Json): Json | undefined {
  if (first === undefined) return put;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const here = (json as Record<string, Json>)[first];
  const made = modelSet(here === undefined ? {} : here, rest, put);
  return made === undefined ? undefined : { ...(json as Record<string, Json>), [first]: made };
}

function modelUnset(json: Json, [first, ...rest]: Path): Json {
  if (first === undefined || typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { [first]: here, ...others } = json as Record<string, Json>;
  if (here === undefined || rest.length === 0) return others;
  return { ...json, [first]: modelUnset(here, rest) };
}

/** Comments outside of strings, in order. */
function commentsOf(source: string): string[] {
  const found = source.matchAll(
    /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|(\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)/g,
  );
  return [...found].flatMap(([, comment]) => (comment === undefined ? [] : [comment]));
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of part.replace(/\s/g, "")) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

const runs = { numRuns: 1500 };

describe("edits of any text", () => {
  it("put the value there, and change nothing else", () => {
    fc.assert(
      fc.property(text, path, value, (source, at, put) => {
        const wanted = modelSet(read(source), at, put);
        if (wanted === undefined) {
          expect(() => setAt(source, at, put)).toThrow();
          return;
        }
        const old = nodeAt(parseJson5(source, "t"), at);
        const after = setAt(source, at, put);
        expect(read(after)).toEqual(JSON.parse(JSON.stringify(wanted)));
        if (old === undefined) {
          expect(isSubsequence(source, after)).toBe(true);
          expect(commentsOf(after)).toEqual(commentsOf(source));
        } else {
          expect(after.startsWith(source.slice(0, old.start.offset))).toBe(true);
          expect(after.endsWith(source.slice(old.end.offset))).toBe(true);
        }
      }),
      runs,
    );
  });

  it("take the value away, and change nothing else", () => {
    fc.assert(
      fc.property(text, path, (source, at) => {
        const old = nodeAt(parseJson5(source, "t"), at);
        const after = unsetAt(source, at);
        expect(read(after)).toEqual(modelUnset(read(source), at));
        if (old === undefined) expect(after).toBe(source);
        else {
          const around = source.slice(0, old.start.offset) + source.slice(old.end.offset);
          expect(isSubsequence(after, source)).toBe(true);
          // A comment between a key and its value goes with them.
          const kept = commentsOf(after);
          const all = commentsOf(around);
          expect(all.length - kept.length).toBeLessThanOrEqual(2);
          expect(isSubsequence(kept.join(""), all.join(""))).toBe(true);
        }
      }),
      runs,
    );
  });

  it("pass what any text says through unchanged when it is set to the same", () => {
    fc.assert(
      fc.property(text, (source) => {
        const json = read(source);
        const scanner = new Scanner(source, "t");
        scanner.skipTrivia();
        expect(read(setAt(source, [], json))).toEqual(json);
        expect(scanner.current).toBe("{");
      }),
      { numRuns: 300 },
    );
  });
});
