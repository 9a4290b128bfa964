import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { encodeEntry, encodeHeader } from "../transcript/lines.ts";
import { advance, EMPTY_LOG } from "../transcript/log-state.ts";
import { type FileIo, systemIo } from "./file-io.ts";
import { endOfLastLine, LINE_BYTES_MAX, linesBackward, linesForward, type RawLine } from "./line-scan.ts";

const AT = "2026-01-01T00:00:00.000Z";

function ioOver(bytes: Buffer, readMax = Number.MAX_SAFE_INTEGER): FileIo {
  return {
    ...systemIo,
    read: (_file, into, position) => bytes.copy(into, 0, position, position + Math.min(into.length, readMax)),
  };
}

/** A borrowed line must be copied before the next one is read. */
function collect(lines: Generator<RawLine>): { start: number; end: number; text: string | undefined }[] {
  const found = [];
  for (const { start, end, bytes } of lines) found.push({ start, end, text: bytes?.toString("latin1") });
  return found;
}

/** The same by splitting the whole. */
function naive(bytes: Buffer): { start: number; end: number; text: string }[] {
  const found = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    found.push({ start, end: end + 1, text: bytes.toString("latin1", start, end) });
    start = end + 1;
  }
  return found;
}

function linesOfLengths(lengths: readonly number[], tail = 0): Buffer {
  const lines = lengths.map((length, index) => `${String.fromCharCode(97 + (index % 26)).repeat(length)}\n`);
  return Buffer.from(lines.join("") + "t".repeat(tail));
}

/** Around the sizes in which files are read. */
const length = fc.oneof(
  fc.nat(40),
  fc.constantFrom(64, 256).chain((kib) => fc.integer({ min: kib * 1024 - 2, max: kib * 1024 + 2 })),
  fc.integer({ min: 0, max: 100_000 }),
);

describe("lines of a file", () => {
  it("are the same forwards, backwards and by splitting, wherever a read ends", () => {
    fc.assert(
      fc.property(
        fc.array(length, { maxLength: 12 }),
        fc.nat(70_000),
        fc.constantFrom(1e9, 5000),
        (lengths, tail, readMax) => {
          const bytes = linesOfLengths(lengths, tail);
          const io = ioOver(bytes, readMax);
          const wanted = naive(bytes);
          expect(collect(linesForward(io, 0, 0, bytes.length))).toEqual(wanted);
          const end = endOfLastLine(io, 0, bytes.length);
          expect(end).toBe(bytes.length - tail);
          expect(collect(linesBackward(io, 0, end)).reverse()).toEqual(wanted);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["an empty file", []],
    ["one empty line", [0]],
    ["blank lines only", [0, 0, 0]],
    ["a line of 1 MB", [1_000_000]],
    ["lines of 1 MB among short ones", [3, 1_000_000, 0, 5, 1_000_000, 1_000_000, 2]],
    ["a newline as the last byte of the first read", [64 * 1024 - 1, 10]],
    ["a newline as the first byte of the second read", [64 * 1024, 10]],
  ])("are found in %s", (_, lengths) => {
    const bytes = linesOfLengths(lengths);
    expect(collect(linesForward(ioOver(bytes), 0, 0, bytes.length))).toEqual(naive(bytes));
    expect(collect(linesBackward(ioOver(bytes), 0, bytes.length)).reverse()).toEqual(naive(bytes));
  });

  it("end with the last newline", () => {
    const bytes = Buffer.from("one\ntwo\nthr");
    expect(collect(linesForward(ioOver(bytes), 0, 0, bytes.length)).map(({ text }) => text)).toEqual([
      "one",
      "two",
    ]);
  });

  it("can be read by two readers at once, which do not share buffers", () => {
    const bytes = linesOfLengths([10, 20, 70_000, 30]);
    const first = linesForward(ioOver(bytes), 0, 0, bytes.length);
    const lent = first.next().value as RawLine;
    collect(linesForward(ioOver(linesOfLengths([5000, 5000].map((size) => size * 10))), 0, 0, 100_002));
    expect(lent.bytes?.toString()).toBe("a".repeat(10));
  });

  it("can be left early and read again", () => {
    const bytes = linesOfLengths([10, 20, 30]);
    for (const _ of linesForward(ioOver(bytes), 0, 0, bytes.length)) break;
    expect(collect(linesForward(ioOver(bytes), 0, 0, bytes.length))).toEqual(naive(bytes));
  });
});

describe("a line over the limit", () => {
  const long = LINE_BYTES_MAX + 3 * 1024 * 1024;
  const size = 6 + long + 1 + 5;
  let readMax = 0;
  /** `first\n`, a very long line, `last\n`, without holding it in memory. */
  const io: FileIo = {
    ...systemIo,
    read: (_file, into, position) => {
      const count = Math.min(into.length, size - position);
      readMax = Math.max(readMax, into.length);
      into.fill(0x78, 0, count);
      const put = (text: string, at: number): void => {
        for (let index = 0; index < text.length; index++) {
          const place = at + index - position;
          if (place >= 0 && place < count) into[place] = text.charCodeAt(index);
        }
      };
      put("first\n", 0);
      put("\nlast\n", 6 + long);
      return count;
    },
  };

  it.each(["forward", "backward"])(
    "is skipped when reading %s, without being loaded completely",
    (direction) => {
      readMax = 0;
      const lines = direction === "forward" ? linesForward(io, 0, 0, size) : linesBackward(io, 0, size);
      const found = collect(lines);
      if (direction === "backward") found.reverse();
      expect(found).toEqual([
        { start: 0, end: 6, text: "first" },
        { start: 6, end: 6 + long + 1, text: undefined },
        { start: 6 + long + 1, end: size, text: "last" },
      ]);
      expect(readMax).toBeLessThanOrEqual(LINE_BYTES_MAX + 1);
    },
  );
});

describe("files that other programs have edited", () => {
  const header = encodeHeader({ id: "c1", key: null, createdAt: AT, generation: 1 });
  const entry = (number: number, content: string): Buffer =>
    encodeEntry(
      { id: `e${number}`, kind: "message", at: AT, json: JSON.stringify({ role: "user", content }) },
      {
        seq: number,
        parentId: number === 1 ? null : `e${number - 1}`,
        operationId: undefined,
        batch: undefined,
      },
    );
  const crlf = (line: Buffer): Buffer => Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")]);
  const plain = [
    header,
    entry(1, "a\u2028b\u2029c\u0085d"),
    entry(2, "x".repeat(1_000_000)),
    entry(3, "end"),
  ];

  it.each([
    ["as they are", plain],
    ["with a byte order mark", [Buffer.from("\ufeff"), ...plain]],
    ["with CRLF", plain.map(crlf)],
    ["with a byte order mark and CRLF", [Buffer.from("\ufeff"), ...plain.map(crlf)]],
    ["with blank lines", plain.flatMap((line) => [Buffer.from("\n\r\n"), line])],
  ])("are read: %s", (_, parts) => {
    const bytes = Buffer.concat(parts);
    const texts: unknown[] = [];
    const bad: unknown[] = [];
    const state = advance(ioOver(bytes), 0, EMPTY_LOG, bytes.length, {
      entry: ({ message }) => texts.push(message?.content),
      bad: (line) => bad.push(line),
    });
    expect(bad).toEqual([]);
    expect(texts).toEqual(["a\u2028b\u2029c\u0085d", "x".repeat(1_000_000), "end"]);
    expect(state).toMatchObject({ bytes: bytes.length, entries: 3, head: "e3", header: { id: "c1" } });
  });
});
