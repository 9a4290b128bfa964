import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { processorMs } from "../../../../test/support/processes/processor-time.ts";
import { parseRecords } from "./records.ts";

const valuesOf = (text: string) => parseRecords(text).values.map(({ value }) => value);

describe("the records of a line", () => {
  it.each([
    ['{"a":1}', [{ a: 1 }], undefined],
    [" [1] ", [[1]], undefined],
    ["null", [null], undefined],
    ['{"a":1}{"b":2}', [{ a: 1 }, { b: 2 }], undefined],
    ['{"a":"}{"} [2]\t{"b":"\\"{"},', [{ a: "}{" }, [2], { b: '"{' }], undefined],
    ['{"a":1}\0\0{"b":2}', [{ a: 1 }, { b: 2 }], undefined],
    ['{"a":1}}', [{ a: 1 }], "}"],
    ['{"a":1}{"b":', [{ a: 1 }], '{"b":'],
    ['{"a":"cut he{"b":2}', [{ b: 2 }], '{"a":"cut he'],
    ['{"a":"cut \\{"b":2}', [{ b: 2 }], '{"a":"cut \\'],
    ['{"a":"cut \\u00{"b":2}', [{ b: 2 }], '{"a":"cut \\u00'],
    ['{"a{"b":2}', [{ b: 2 }], '{"a'],
    ['{"a":1,{"b":2}{"c":3}', [{ b: 2 }, { c: 3 }], '{"a":1,'],
    ['{"a":tru{"b":2}', [], '{"a":tru{"b":2}'],
    ['{"a":12{"b":2}', [{ b: 2 }], '{"a":12'],
    ['warning: {"b":2}', [{ b: 2 }], "warning: "],
    ['{"a":{"b":2}', [], '{"a":{"b":2}'],
    ['{"a":x,"b":{"c":1}}', [], '{"a":x,"b":{"c":1}}'],
    ["{'a':1}", [], "{'a':1}"],
    ["", [], undefined],
  ])("are found in %j", (text, values, rest) => {
    const found = parseRecords(text);
    expect(found.values.map(({ value }) => value)).toEqual(values);
    expect(found.rest?.text).toBe(rest);
  });

  it("come with the text that they were parsed from", () => {
    const text = '{"n":12345678901234567890} {"n":1.0}';
    expect(parseRecords(text).values.map((value) => value.text)).toEqual([
      '{"n":12345678901234567890}',
      '{"n":1.0}',
    ]);
  });

  it("are reported as cut off, or as not JSON", () => {
    expect(parseRecords('{"a":').rest?.reason).toBe("cut off");
    expect(parseRecords('{"a":"x').rest?.reason).toBe("cut off");
    expect(parseRecords("{a:1}").rest?.reason).toBe("not valid JSON");
    expect(parseRecords('{"a":"\t"}').rest?.reason).toBe("not valid JSON");
  });

  it.each([10_000, 1_000_000])("are refused when they are nested %d levels deep", (levels) => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const text = `${open.repeat(levels)}1${close.repeat(levels)}`;
      expect(parseRecords(text)).toMatchObject({ values: [], rest: { reason: "nested too deeply" } });
      expect(parseRecords(`{"b":1}${text}`).values).toHaveLength(1);
      expect(parseRecords(open.repeat(levels)).rest).toBeDefined();
    }
  });

  it.each([
    ["objects that are cut", '{"a":"'.repeat(300_000)],
    ["objects that begin", "{".repeat(1_000_000)],
    ["small objects", '{"a":1}'.repeat(200_000)],
    ["escapes", `{"a":"${"\\\\".repeat(700_000)}`],
    ["quotes", '"'.repeat(999_999)],
    ["noise", 'x{"'.repeat(400_000)],
  ])("are looked for in time that grows with the text only: %s", async (_, text) => {
    expect(await processorMs(() => parseRecords(text))).toBeLessThan(5000);
  });

  it("are those that were written, whatever was written, with or without space between", () => {
    const values = fc.array(fc.oneof(fc.object({ maxDepth: 3 }), fc.array(fc.jsonValue())), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.constantFrom("", " ", "\0\0"), (written, gap) => {
        const texts = written.map((value) => JSON.stringify(value));
        expect(valuesOf(texts.join(gap))).toEqual(texts.map((text) => JSON.parse(text)));
      }),
    );
  });

  it("and the rest make up the text, whatever it is", () => {
    const hostile = fc.string({ unit: fc.constantFrom(...'[]{}",:\\x \n1'), maxLength: 40 });
    fc.assert(
      fc.property(hostile, (text) => {
        const { values, rest } = parseRecords(text);
        const signs = (part: string): number => part.replace(/[\s,]/g, "").length;
        const kept = values.reduce((sum, value) => sum + signs(value.text), 0) + signs(rest?.text ?? "");
        expect(kept).toBe(signs(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("are found after a record that was cut anywhere but between two of its parts", () => {
    const record = {
      type: "user",
      message: { role: "user", content: [{ type: "text", text: 'say "hi" {"' }] },
    };
    const text = JSON.stringify(record);
    const next = { type: "assistant", uuid: "b" };
    const missed: string[] = [];
    for (let end = 1; end < text.length; end++) {
      const found = valuesOf(text.slice(0, end) + JSON.stringify(next));
      if (JSON.stringify(found.at(-1)) !== JSON.stringify(next)) missed.push(text.slice(0, end));
    }
    // There the next record reads like a part of the one that was cut, or a word like it.
    expect(missed.every((cut) => /[:[]$/.test(cut))).toBe(true);
  });
});

describe("a text of very many values", () => {
  const many = "1,".repeat(500_000);

  it.each([
    ["a list", `[${many}1]`],
    ["an object", `{${Array.from({ length: 500_001 }, (_, index) => `"${index}":0`).join()}}`],
    ["objects", `[${"{},".repeat(500_000)}{}]`],
    ["one after a lost quote", `{"a":"b}\n{"a":[${many}1]}`],
  ])("is not parsed: %s", (_, text) => {
    const { values, rest } = parseRecords(text);
    expect(values).toHaveLength(0);
    expect(rest?.reason).toMatch(/has more than 500,000 values|not valid JSON/);
  });

  it("is not confused with a text of many commas", () => {
    const text = JSON.stringify({ a: `\\"${many}`, b: "\\".repeat(3) + many, c: [1, "\\"] });
    expect(parseRecords(text)).toMatchObject({ values: [{ value: { c: [1, "\\"] } }] });
  });

  it("is parsed when it has just as many as allowed", () => {
    expect(parseRecords(`[${"1,".repeat(499_999)}1]`).values).toHaveLength(1);
    expect(parseRecords(`[${"[],".repeat(499_998)}[]]`).values).toHaveLength(1);
  });

  it.each([
    ["brackets that are not closed", "[".repeat(600_000), 0],
    ["members that are not closed", '{"a":'.repeat(600_000), 0],
    ["lists in lists", `[${"[[]".repeat(300_000)}${"]".repeat(300_001)}`, 0],
    ["one list of lists", `{"a":[${"[[]],".repeat(250_000)}[]]}`, 0],
    ["lists after lists", "[]".repeat(600_000), 500_000],
    ["objects behind a lost quote", `"${'{"":1}'.repeat(600_000)}`, 499_999],
    ["lists behind a lost quote", `"${`{"":[${"1,".repeat(999)}1]}`.repeat(600)}`, 500],
  ])("is read as far as there is room for its values: %s", (_, text, expected) => {
    const { values, rest } = parseRecords(text);
    expect(values).toHaveLength(expected);
    expect(rest?.reason).toMatch(/has more than 500,000 values|nested too deeply|not valid JSON/);
  });
});
