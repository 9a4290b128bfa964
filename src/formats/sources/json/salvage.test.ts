import { describe, expect, it } from "vitest";
import { fc } from "../../../../test/support/fast-check.ts";
import { processorMs } from "../../../../test/support/processes/processor-time.ts";
import { isPlainObject, type Json } from "../../../util/json.ts";
import { problem } from "../problem.ts";
import type { ByteSource, ElementProblem, SourceElement } from "../types.ts";
import { readElements } from "./elements.ts";

function source(bytes: Buffer | string, chunkBytes = 64 * 1024): ByteSource {
  const all = Buffer.from(bytes);
  return {
    async *chunks(from = 0) {
      for (let at = from; at < all.length; at += chunkBytes) yield all.subarray(at, at + chunkBytes);
    },
    async close() {},
  };
}

function isElement(value: Json): boolean {
  return isPlainObject(value) && "n" in value;
}

async function read(from: ByteSource): Promise<(SourceElement | ElementProblem)[]> {
  const all: (SourceElement | ElementProblem)[] = [];
  for await (const element of readElements(from, { isElement })) all.push(element);
  return all;
}

/** The numbers of the elements that are found. */
async function numbers(from: ByteSource): Promise<Json[]> {
  return (await read(from)).flatMap((item) =>
    "value" in item && isPlainObject(item.value) ? [item.value.n as Json] : [],
  );
}

const one = '{"n":1,"list":[{"text":"a, {b}"},{"text":"c"}]}';
const two = '{"n":2,"list":[{"text":"d"}]}';
const three = '{"n":3,"list":[{"text":"e"}]}';

describe("the elements after damage", () => {
  it.each([
    ["a lost quote", one.replace('"a, ', "a, ")],
    ["a quote too much", one.replace("a, ", 'a", ')],
    ["a lost end of a list", one.replace("]}", "}")],
    ["a lost end of a list and of its element", one.slice(0, -2)],
    ["a lost end of a list, of its element and the comma", `${one.slice(0, -2)}\u0000`],
    ["a lost beginning", one.slice(1)],
    ["a lost beginning of a list", one.replace("[", "")],
    ["an end too much", one.replace("]", "]]")],
    ["another bracket", one.replace("]", "}")],
    ["a torn end within a string", one.slice(0, 25)],
    ["a backslash before a quote", one.replace('"c"', '"c\\"')],
    ["garbage in its place", "garbage [[{{ ]"],
    ["a quote in its place", '"'],
    ["a beginning of a list before it", "[{}"],
    ["nothing in its place", ""],
  ])("are found: %s", async (_, torn) => {
    for (const gap of [",", ",\n", ",\n  "]) {
      expect(await numbers(source(`[${[torn, two, three].join(gap)}]`))).toEqual([2, 3]);
      expect(await numbers(source(`[${[two, torn, three].join(gap)}]`))).toEqual([2, 3]);
      expect(await numbers(source(`[${[two, three, torn].join(gap)}]`))).toEqual([2, 3]);
    }
  });

  it("have their position, and damaged ones their text", async () => {
    const torn = one.replace('"a, ', "a, ");
    expect(await read(source(`[${two},${torn},${three}]`))).toEqual([
      { value: JSON.parse(two), offset: 1, bytes: two.length, text: two },
      { problem: "not valid JSON", offset: two.length + 2, bytes: torn.length + 1, text: `${torn},` },
      { value: JSON.parse(three), offset: two.length + torn.length + 3, bytes: three.length, text: three },
    ]);
  });

  it("are read as UTF-8, wherever chunks are cut", async () => {
    const text = `[{"n":0,"x":"ö},${'{"n":"öäü€"}'},${'{"n":"𝄞"}'}]`;
    for (const size of [1, 2, 3, 7, 1000]) {
      expect(await numbers(source(text, size))).toEqual(["öäü€", "𝄞"]);
    }
  });

  it("are found wherever the scanned window ends", async () => {
    const many = Array.from({ length: 200 }, (_, n) =>
      JSON.stringify({ n, text: '\\ "é" \u0007'.repeat(1500 + n), yes: true, no: null }),
    );
    expect(await numbers(source(`[{"n":"torn},${many.join(",")}]`))).toEqual(many.map((_, n) => n));
  });

  it("are found when they are longer than the scanned window", async () => {
    const long = JSON.stringify({ n: 4, text: "x".repeat(5_000_000) });
    expect(await numbers(source(`[{"n":"torn},${long},${three}]`))).toEqual([4, 3]);
  });

  it("leave no byte untold, however much is damaged", async () => {
    const bad = `"${"y".repeat(3_000_000)}`;
    const all = await read(source(`[{"n":${bad},${three}]`));
    const told = all.map((item) => ("problem" in item ? (item.text ?? "") : "")).join("");
    expect(told).toContain(bad);
    expect(all.at(-1)).toMatchObject({ value: { n: 3 } });
  });

  it("are found up to where the file itself is damaged", async () => {
    const failing: ByteSource = {
      async *chunks(from = 0) {
        yield Buffer.from(`[{"n":"torn},${two},{"n":`).subarray(from);
        throw problem("cut-off", "it is cut off");
      },
      async close() {},
    };
    const all = await read(failing);
    expect(all.filter((item) => "value" in item)).toMatchObject([{ value: { n: 2 } }]);
    expect(all.some((item) => "problem" in item && item.problem === "it is cut off")).toBe(true);
  });

  it.each([
    ["objects in objects without end", `[${'{"a":'.repeat(400_000)}`],
    ["objects in lists without end", `[${'[{"a":'.repeat(400_000)}`],
    ["beginnings", `[${"{".repeat(2_000_000)}`],
    ["strings without end", `[${'{"'.repeat(500_000)}`],
    ["long objects that never end", `[${`{"a":[${'{"b":1},'.repeat(50_000)}`.repeat(8)}`],
  ])("are looked for in time that grows with the file only: %s", async (_, text) => {
    expect(await processorMs(() => read(source(text)))).toBeLessThan(5000);
  });

  it("are found wherever one byte of another element is changed", async () => {
    const parts = [one, two, three];
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(255), async (hit, at, byte) => {
        const bytes = parts.map((part) => Buffer.from(part));
        const torn = bytes[hit] as Buffer;
        torn[at % torn.length] = byte;
        const joined = bytes.flatMap((part, index) => [Buffer.from(index === 0 ? "[" : ","), part]);
        const found = await numbers(source(Buffer.concat([...joined, Buffer.from("]")])));
        for (const n of [1, 2, 3]) if (n !== hit + 1) expect(found).toContain(n);
      }),
      { numRuns: 500 },
    );
  });
});
