import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { LONG_LINE_BYTES, readLines } from "./lines.ts";
import { problem } from "./problem.ts";
import type { ByteSource, LinesOptions, SourceLine } from "./types.ts";

function source(...chunks: readonly (Buffer | string)[]): ByteSource {
  return {
    async *chunks(from = 0) {
      const bytes = chunks.map((chunk) => Buffer.from(chunk));
      if (from === 0) yield* bytes;
      else yield Buffer.concat(bytes).subarray(from);
    },
    async close() {},
  };
}

async function lines(from: ByteSource, options?: LinesOptions): Promise<SourceLine[]> {
  const all: SourceLine[] = [];
  for await (const batch of readLines(from, options)) all.push(...batch);
  return all;
}

describe("lines", () => {
  it("have a number, an offset, and a length that leads to the next one", async () => {
    expect(await lines(source("a\nbö\r\n\n \t\nlast"))).toMatchObject([
      { line: 1, offset: 0, bytes: 2, state: "ok", text: "a" },
      { line: 2, offset: 2, bytes: 5, state: "ok", text: "bö" },
      { line: 3, offset: 7, bytes: 1, state: "blank" },
      { line: 4, offset: 8, bytes: 3, state: "blank" },
      { line: 5, offset: 11, bytes: 4, state: "pending", text: "last" },
    ]);
  });

  it("end at a newline and at nothing else", async () => {
    const text = "a\u2028b\u2029c\u0085d\re\fg";
    expect((await lines(source(`${text}\n${text}`))).map((line) => line.text)).toEqual([text, text]);
  });

  it("begin after a byte order mark", async () => {
    expect(await lines(source("\ufeff{}\n{}\n"))).toMatchObject([
      { text: "{}", offset: 0, bytes: 6 },
      { text: "{}", offset: 6 },
    ]);
  });

  it("come in batches that are small even if all of them are blank", async () => {
    const sizes: number[] = [];
    for await (const batch of readLines(source("\n".repeat(1_000_000)))) sizes.push(batch.length);
    expect(Math.max(...sizes)).toBeLessThan(100_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1_000_000);
  });

  it("can be read from where an earlier pass ended", async () => {
    const from = { offset: 3, line: 2 };
    expect(await lines(source("ab\ncd\n"), { from })).toMatchObject([{ line: 2, offset: 3, text: "cd" }]);
  });

  it("are none in an empty file", async () => {
    expect(await lines(source())).toEqual([]);
    expect(await lines(source(""))).toEqual([]);
  });

  it("with NUL bytes around them are flagged and returned without them", async () => {
    const found = await lines(source("\0\0\0{}\0\n\0\0\0\n{}\n"));
    expect(found).toMatchObject([
      { state: "ok", flaw: "nul-padded", text: "{}", raw: Buffer.from("\0\0\0{}\0") },
      { state: "ok", flaw: "nul-padded", text: "" },
      { state: "ok", text: "{}" },
    ]);
    expect(found[2]?.flaw).toBeUndefined();
  });

  it("with invalid UTF-8 are flagged and have their bytes", async () => {
    const bad = Buffer.from([0x22, 0xff, 0xc3, 0x22]);
    const found = await lines(source(Buffer.concat([Buffer.from("ö\n"), bad, Buffer.from("\nö\n")])));
    expect(found.map((line) => line.flaw)).toEqual([undefined, "invalid-utf8", undefined]);
    expect(found[1]).toMatchObject({ text: '"\ufffd\ufffd"', raw: bad });
    expect([found[0]?.raw, found[2]?.raw]).toEqual([undefined, undefined]);
  });

  it("that are long come as bytes", async () => {
    const long = Buffer.alloc(LONG_LINE_BYTES + 10, "x");
    const [first, second] = await lines(source(Buffer.concat([long, Buffer.from("\r\ny\n")])));
    expect(first).toMatchObject({ state: "ok", bytes: long.length + 2, text: undefined, flaw: undefined });
    expect(first?.raw?.equals(long)).toBe(true);
    expect(second).toMatchObject({ text: "y", offset: long.length + 2 });
  });

  it("that are longer than the limit are reported and not held", async () => {
    const piece = Buffer.alloc(1024 * 1024, "x");
    const huge: ByteSource = {
      async *chunks() {
        yield Buffer.from("before\n");
        for (let count = 0; count < 80; count++) yield piece;
        yield Buffer.from("\nbehind\n");
      },
      async close() {},
    };
    const found = await lines(huge, { lineBytesMax: 4 * 1024 * 1024 });
    expect(found).toMatchObject([
      { text: "before" },
      { state: "too-long", offset: 7, bytes: 80 * piece.length + 1, text: undefined, raw: undefined },
      { text: "behind", line: 3, offset: 7 + 80 * piece.length + 1 },
    ]);
  });

  it("of exactly the limit are not too long", async () => {
    const found = await lines(source("abc", "d\nabcd", "e\nx"), { lineBytesMax: 5 });
    expect(found.map(({ state }) => state)).toEqual(["ok", "too-long", "pending"]);
  });

  it("that were read before a problem are given before it is thrown", async () => {
    const failing: ByteSource = {
      async *chunks() {
        yield Buffer.from("a\nb\nhalf");
        throw problem("shrunk", "it was cut");
      },
      async close() {},
    };
    const seen: (string | undefined)[] = [];
    const reading = (async () => {
      for await (const batch of readLines(failing)) seen.push(...batch.map(({ text }) => text));
    })();
    await expect(reading).rejects.toThrow("it was cut");
    expect(seen).toEqual(["a", "b", "half"]);
  });

  it("are no longer returned after an abort", async () => {
    const stop = new AbortController();
    const reading = readLines(source("a\nhalf", "b\n"), { signal: stop.signal });
    expect((await reading.next()).value).toHaveLength(1);
    stop.abort();
    await expect(reading.next()).rejects.toThrow("abort");
  });

  it("are the same however the bytes are cut into chunks", async () => {
    const bytes = fc
      .array(fc.oneof(fc.constantFrom("\n", "\r\n", "\0", "\ufeff", "{}", "ö", " "), fc.string()))
      .map((parts) => Buffer.from(parts.join("")));
    const damaged = fc
      .tuple(bytes, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }))
      .map(([buffer, changes]) => {
        const copy = Buffer.from(buffer);
        for (const [at, byte] of changes) if (copy.length > 0) copy[at % copy.length] = byte;
        return copy;
      });
    await fc.assert(
      fc.asyncProperty(damaged, fc.array(fc.nat()), async (buffer, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (buffer.length + 1)))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, index) => buffer.subarray(from, places[index]));
        expect(await lines(source(...chunks))).toEqual(await lines(source(buffer)));
      }),
    );
  });

  it("that are whole are never lost because another one is damaged", async () => {
    const records = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(records, fc.nat(), fc.integer({ min: 0, max: 255 }), async (values, at, byte) => {
        const texts = values.map((value) => JSON.stringify(value));
        const bytes = Buffer.from(`${texts.join("\n")}\n`);
        bytes[at % bytes.length] = byte;
        const found = new Set((await lines(source(bytes))).map(({ text }) => text));
        // A line that was damaged, and the one that it may have been glued to.
        const lost = texts.filter((text) => !found.has(text));
        expect(lost.length).toBeLessThanOrEqual(2);
        const starts = texts.map(
          (_, index) => Buffer.byteLength(texts.slice(0, index).join("\n")) + (index && 1),
        );
        for (const [index, text] of texts.entries()) {
          const [from, to] = [starts[index] as number, (starts[index] as number) + Buffer.byteLength(text)];
          // Neither a byte of it was changed nor the newline on either side of it.
          const isTouched = at % bytes.length >= from - 1 && at % bytes.length <= to;
          if (!isTouched) expect(found).toContain(text);
        }
      }),
    );
  });
});
