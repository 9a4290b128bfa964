import { describe, expect, it } from "vitest";
import { sniffHead } from "./sniff.ts";
import type { ByteSource } from "./types.ts";

const CHUNK = 64 * 1024;

/** Counts how much of it was read at once. */
function source(text: string | Buffer): ByteSource & { bytesRead(): number } {
  const bytes = Buffer.from(text);
  let read = 0;
  return {
    async *chunks() {
      for (let at = 0; at < bytes.length; at += CHUNK) {
        read += CHUNK;
        yield bytes.subarray(at, at + CHUNK);
      }
    },
    async close() {},
    bytesRead: () => read,
  };
}

const sniffed = (text: string | Buffer) => sniffHead(source(text));

describe("the head of a file", () => {
  it.each([
    ["", "empty", [], false],
    ["\ufeff\n \n", "empty", [], false],
    ["SQLite format 3\0 and more", "sqlite", [], false],
    ['{"a":1}\n{"b":2}\n', "lines", [{ a: 1 }, { b: 2 }], false],
    ['\ufeff\n{"a":1}\r\n\r\n{"b":2}', "lines", [{ a: 1 }, { b: 2 }], false],
    ['{"a":1}\n', "lines", [{ a: 1 }], true],
    ['{"a":1}', "lines", [{ a: 1 }], true],
    ['{"a":1}{"b":2}\n{"c":3}\n', "lines", [{ a: 1 }, { b: 2 }, { c: 3 }], false],
    ['{"a":1}\n{"torn\n{"b":2}\n', "lines", [{ a: 1 }, { b: 2 }], false],
    ['{"torn\n{"b":2}\n{"c":3}\n', "lines", [{ b: 2 }, { c: 3 }], false],
    ['{"torn":1,\n{"b":2}\n{"c":3}\n', "lines", [{ b: 2 }, { c: 3 }], false],
    ['noise\n{"b":2}\n', "lines", [{ b: 2 }], false],
    ['\0\0\0\n{"b":2}\n{"c":3}\n', "lines", [{ b: 2 }, { c: 3 }], false],
    ['{\n  "a": [\n    {"b": 1}\n  ]\n}\n', "object", [{ a: [{ b: 1 }] }], true],
    ['{\n"a": [\n{"b": 1}\n]\n}\n', "object", [{ a: [{ b: 1 }] }], true],
    ['[{"a":1},{"b":2}]', "array", [{ a: 1 }], false],
    ['[\n{"a":1},\n{"b":2}\n]\n', "array", [{ a: 1 }], false],
    ["[]", "array", [], false],
    ['[{"a":1},{"b', "array", [{ a: 1 }], false],
    ["[1,2]\n[3,4]\n", "lines", [], false],
    ["just text\nand more\n", "other", [], false],
    ["\x89PNG\r\n\x1a\n", "other", [], false],
    ['{\n "a": 1,\n "b', "object", [], false],
  ])("of %j is known", async (text, kind, records, isAlone) => {
    expect(await sniffed(text)).toEqual({ kind, records, isAlone });
  });

  it("begins behind any white space, wherever a character of it lies", async () => {
    for (const space of ["\u3000", "\u00a0", "\ufeff"]) {
      for (const before of [1020, 1021, 1022, 1023, 1024]) {
        const text = `${" ".repeat(before)}${space}{"a":1}\n{"a":2}\n`;
        expect(await sniffed(text)).toMatchObject({ kind: "lines", records: [{ a: 1 }, { a: 2 }] });
      }
    }
    expect(await sniffed(`${" ".repeat(1023)}\u3000`)).toMatchObject({ kind: "empty" });
  });

  it("has at most twenty records, and little is read for them", async () => {
    const file = source('{"a":1}\n'.repeat(1_000_000));
    expect(await sniffHead(file)).toMatchObject({ kind: "lines", records: { length: 20 }, isAlone: false });
    expect(file.bytesRead()).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  it("reaches as far as the first record does", async () => {
    const long = { text: "x".repeat(3_000_000) };
    const text = JSON.stringify(long);
    expect(await sniffed(`${text}\n{"b":2}\n`)).toEqual({ kind: "lines", records: [long], isAlone: false });
    expect(await sniffed(text)).toEqual({ kind: "lines", records: [long], isAlone: true });
    expect(await sniffed(`[${text},${text}]`)).toEqual({ kind: "array", records: [long], isAlone: false });
    expect(await sniffed(JSON.stringify(long, null, 2))).toEqual({
      ...{ kind: "object", records: [long], isAlone: true },
    });
  });

  it("does not take the half of a line at its end for a record", async () => {
    const text = `${'{"a":1}\n'.repeat(3)}{"text":"${"x".repeat(2_000_000)}"}\n`;
    expect(await sniffed(text)).toMatchObject({ kind: "lines", records: [{ a: 1 }, { a: 1 }, { a: 1 }] });
  });

  it("of something that is not text is other, however long", async () => {
    expect(await sniffed(Buffer.alloc(3_000_000))).toMatchObject({ kind: "other" });
    expect(await sniffed(Buffer.alloc(3_000_000, 0xfe))).toMatchObject({ kind: "other" });
    expect(await sniffed("[".repeat(3_000_000))).toMatchObject({ kind: "array", records: [] });
  });
});
