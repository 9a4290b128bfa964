import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { processorMs } from "../../../../test/support/processes/processor-time.ts";
import { problem } from "../problem.ts";
import type { ByteSource, ElementProblem, SourceElement } from "../types.ts";
import { type ElementsOptions, readElements } from "./elements.ts";

function source(...chunks: readonly (Buffer | string)[]): ByteSource {
  return {
    async *chunks() {
      yield* chunks.map((chunk) => Buffer.from(chunk));
    },
    async close() {},
  };
}

async function read(
  from: ByteSource,
  options?: ElementsOptions,
): Promise<(SourceElement | ElementProblem)[]> {
  const all: (SourceElement | ElementProblem)[] = [];
  for await (const element of readElements(from, options)) all.push(element);
  return all;
}

/** The values, and the problems as text. */
async function brief(text: string, options?: ElementsOptions): Promise<unknown[]> {
  return (await read(source(text), options)).map((element) =>
    "problem" in element ? element.problem : element.value,
  );
}

describe("the elements of an array", () => {
  it.each([
    ["[]", []],
    ["\ufeff [ ] \n", []],
    ['[{"a":1},[2],"x,]",3,null , true]', [{ a: 1 }, [2], "x,]", 3, null, true]],
    ['[\n  {"a": "[\\"{"},\n  {"b": [{}]}\n]\n', [{ a: '["{' }, { b: [{}] }]],
    ['{"a":[1,{"b":"}"}]}', [{ a: [1, { b: "}" }] }]],
    ['{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ["[1][2]", [1, 2]],
  ])("are found in %j", async (text, values) => {
    expect(await brief(text)).toEqual(values);
  });

  it("say where they begin and what they are made of", async () => {
    expect(await read(source(' [{"a":1.0},\n "ö" ,{}]'))).toEqual([
      { value: { a: 1 }, offset: 2, bytes: 9, text: '{"a":1.0}' },
      { value: "ö", offset: 14, bytes: 4, text: '"ö"' },
      { value: {}, offset: 20, bytes: 2, text: "{}" },
    ]);
  });

  it.each([
    ['[{"a":1},{"b":x},{"c":3}]', [{ a: 1 }, "not valid JSON", { c: 3 }]],
    ['[{"a":[1,2},{"c":3}]', ["not valid JSON", { c: 3 }]],
    ['[{"a":1]},{"c":3}]', ["cut off", "neither a JSON array nor an object", { c: 3 }]],
    ['[{"a":{"b":1},{"c":3}]', [{ c: 3 }, "not valid JSON"]],
    ['[{"a":1}},{"c":3}]', [{ a: 1 }, "not valid JSON", { c: 3 }]],
    ['[\n{"a":"lost},\n{"c":3}\n]', [{ c: 3 }, "not valid JSON"]],
    ['[\n  {\n    "a": "lost\n  },\n  {\n    "c": 3\n  }\n]', ["not valid JSON", { c: 3 }]],
    [
      '[1,2],{"c":3}',
      [1, 2, "continues after the end of the array", { c: 3 }, "cut off: the array does not end"],
    ],
    ['[{"a":1},{"b":', [{ a: 1 }, "cut off"]],
    ['[{"a":1},{"b":"x\\', [{ a: 1 }, "cut off"]],
    ['[{"a":1},12', [{ a: 1 }, "cut off"]],
    ['[{"a":1},', [{ a: 1 }, "cut off: the array does not end"]],
    ["", ["is empty"]],
    ["plain text", ["neither a JSON array nor an object"]],
    ["12", ["neither a JSON array nor an object"]],
    ["]]", ["neither a JSON array nor an object", "neither a JSON array nor an object"]],
    ["[1] trailing", [1, "neither a JSON array nor an object"]],
  ])("that are complete are found in %j, and damage is reported", async (text, expected) => {
    expect(await brief(text)).toEqual(expected);
  });

  it("that are damaged come with their place and text", async () => {
    const [, bad] = await read(source('[1,{"b":x},2]'));
    expect(bad).toEqual({ problem: "not valid JSON", offset: 3, bytes: 7, text: '{"b":x}' });
  });

  it("with invalid UTF-8 are returned, and the damage is reported", async () => {
    const bytes = Buffer.concat([Buffer.from('[{"a":"x'), Buffer.from([0xff]), Buffer.from('"},1]')]);
    expect(await read(source(bytes))).toMatchObject([
      { problem: "invalid-utf8", offset: 1 },
      { value: { a: "x\ufffd" } },
      { value: 1 },
    ]);
  });

  it("that are larger than the limit are passed over", async () => {
    const large = JSON.stringify("x".repeat(200));
    for (const chunks of [[`[1,${large},2]`], ["[1,", large.slice(0, 90), large.slice(90), ",2]"]]) {
      expect(await read(source(...chunks), { elementBytesMax: 100 })).toMatchObject([
        { value: 1 },
        { problem: "is longer than the limit for an element", offset: 3, bytes: 202 },
        { value: 2 },
      ]);
    }
  });

  it("that are nested too deeply are reported, however deep", async () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(await brief(`[1,${deep},2]`)).toEqual([1, "nested too deeply", 2]);
  });

  it.each([
    ["closed objects in open arrays", `[${"[".repeat(9000)}${"}".repeat(500_000)}`],
    ["arrays in open objects", `[${'{"a":'.repeat(9000)}${"[]".repeat(250_000)}`],
    ["quotes", '["'.repeat(250_000)],
    ["commas", `[${",".repeat(500_000)}]`],
    ["ends", "]".repeat(100_000)],
  ])("are looked for in time that grows with the file only: %s", async (_, text) => {
    expect(await processorMs(() => read(source(text)))).toBeLessThan(2500);
  });

  it("before a problem of the file are given", async () => {
    const failing: ByteSource = {
      async *chunks() {
        yield Buffer.from('[{"a":1},{"b":');
        throw problem("cut-off", "it is cut off");
      },
      async close() {},
    };
    expect(await read(failing)).toMatchObject([
      { value: { a: 1 } },
      { problem: "it is cut off" },
      { problem: "cut off", text: '{"b":' },
    ]);
  });

  it("are no longer returned after an abort", async () => {
    const signal = AbortSignal.abort();
    await expect(read(source("[1]"), { signal })).rejects.toThrow("abort");
  });

  it("are the same however the bytes are cut into chunks, damaged or not", async () => {
    const texts = fc.tuple(
      fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 }),
      fc.constantFrom(undefined, 2),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...'[]{}",:\\x \n')), { maxLength: 2 }),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat()), async ([values, indent, changes], cuts) => {
        const bytes = Buffer.from(JSON.stringify(values, null, indent));
        for (const [at, sign] of changes) bytes[at % bytes.length] = sign.charCodeAt(0);
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
        const whole = await read(source(bytes));
        expect(await read(source(...chunks))).toEqual(whole);
        if (changes.length > 0) return;
        expect(whole.map((element) => "value" in element && element.value)).toEqual(
          JSON.parse(bytes.toString()),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("are not held until they fill the memory, when none is surely an element", async () => {
    const part = `{"part":[${"[],".repeat(300_000)}[]]},`;
    let pieces = 0;
    const large: ByteSource = {
      async *chunks() {
        yield Buffer.from("[");
        for (; pieces < 20; pieces++) yield Buffer.from(part);
      },
      async close() {},
    };
    const elements = readElements(large, { isElement: () => false });
    await elements.next();
    await elements.return(undefined);
    expect(pieces).toBeLessThan(3);
  });
});
