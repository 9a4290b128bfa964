import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { cutLongStrings } from "./long-strings.ts";

/** The value of the line after its tokens are replaced with their strings. */
function meaning(line: Buffer, bytesMin?: number): unknown {
  const { text, cuts } = cutLongStrings(line, bytesMin);
  const strings = new Map(
    cuts.map(({ token, pieces }) => [token, Buffer.concat([...pieces]).toString("utf8")]),
  );
  return JSON.parse(text, (_, value) => (typeof value === "string" ? (strings.get(value) ?? value) : value));
}

const MEBIBYTE = 1024 * 1024;

describe("cutting long strings out of a line", () => {
  it("leaves a short text to parse", () => {
    const long = "x".repeat(MEBIBYTE);
    const line = Buffer.from(JSON.stringify({ a: "short", b: [long, { c: long }], d: 1 }));
    const { text, cuts } = cutLongStrings(line);
    expect(text.length).toBeLessThan(300);
    expect(cuts).toHaveLength(2);
    expect(meaning(line)).toEqual({ a: "short", b: [long, { c: long }], d: 1 });
  });

  it("copies nothing without escapes", () => {
    const line = Buffer.from(JSON.stringify(["y".repeat(MEBIBYTE)]));
    const [bytes] = cutLongStrings(line).cuts[0]?.pieces ?? [];
    expect(bytes?.buffer).toBe(line.buffer);
  });

  it.each([
    ["in two bytes", "\\n"],
    ["in six bytes", "\\u00e9"],
    ["of a surrogate pair", "\\ud83d\\ude00"],
    ["among others", 'some text\\"é\\u0041'],
  ])("decodes escapes %s at the ends of its pieces", (_, escaped) => {
    for (const before of ["", "a", "ab", "abc"]) {
      const line = `["${before}${escaped.repeat(Math.ceil((3 * MEBIBYTE) / escaped.length))}"]`;
      const [text] = JSON.parse(line) as [string];
      const pieces = [...(cutLongStrings(Buffer.from(line)).cuts[0]?.pieces ?? [])];
      expect(Buffer.concat(pieces).equals(Buffer.from(text))).toBe(true);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(MEBIBYTE);
    }
  });

  it("keeps property names, and strings that are a little shorter", () => {
    const value = { ["k".repeat(MEBIBYTE)]: "v".repeat(MEBIBYTE - 1) };
    const { text, cuts } = cutLongStrings(Buffer.from(JSON.stringify(value)));
    expect(cuts).toEqual([]);
    expect(JSON.parse(text)).toEqual(value);
  });

  it.each([
    ["half a surrogate pair", '["\\ud83d aaaa"]'],
    ["half a pair before another sign", '["\\ud83d\\u0041 aaaa"]'],
    ["the other half first", '["\\ude00\\ud83d aaaa"]'],
  ])("leaves a string with %s as it is", (_, text) => {
    expect(cutLongStrings(Buffer.from(text), 2)).toEqual({ text, cuts: [] });
  });

  it.each(['["aaaa\\x"]', '["aaaa\\u12"]', '["aaa\ta"]', '["aaaaaa', '["aaaa\\', '"', ""])(
    "changes nothing in a line that is not JSON: %j",
    (text) => {
      expect(cutLongStrings(Buffer.from(text), 2)).toEqual({ text, cuts: [] });
    },
  );

  it("decodes invalid UTF-8 as elsewhere", () => {
    const line = Buffer.concat([Buffer.from('["aaaa'), Buffer.from([0xff]), Buffer.from('"]')]);
    expect(cutLongStrings(line, 2)).toEqual({ text: '["aaaa\ufffd"]', cuts: [] });
  });

  it("never changes what a line means", () => {
    const strings = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.constantFrom('"\\', "😀\u2028\n", "\ud800"),
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        strings,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(null, true),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(strings, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    const escaped = (text: string): string =>
      text.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 6 }), fc.boolean(), (value, bytesMin, isEscaped) => {
        const text = JSON.stringify(value);
        const line = isEscaped ? escaped(text) : text;
        expect(meaning(Buffer.from(line), bytesMin)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });
});
