import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { type FileIo, systemIo } from "../disk/file-io.ts";
import type { StoredEntry } from "../message/types.ts";
import type { SeqRange } from "../tree/path.ts";
import { encodeEntry, encodeHeader } from "./lines.ts";
import { type LogPageQuery, LogReader } from "./log-reader.ts";
import { advance, EMPTY_LOG } from "./log-state.ts";

const AT = "2026-01-01T00:00:00.000Z";
const HEADER = encodeHeader({ id: "c1", key: null, createdAt: AT, generation: 1 });

interface Options {
  readonly text?: string;
  readonly kind?: string;
  readonly batch?: readonly [number, number];
}

/** Entry number n is called `en` and follows the one before. */
function line(number: number, { text = `text ${number}`, kind = "message", batch }: Options = {}): Buffer {
  const json = kind === "message" ? JSON.stringify({ role: "user", content: text }) : JSON.stringify(text);
  return encodeEntry(
    { id: `e${number}`, kind, at: AT, json },
    {
      seq: number,
      parentId: number === 1 ? null : `e${number - 1}`,
      operationId: batch === undefined ? undefined : `op${number - batch[0]}`,
      batch,
    },
  );
}

function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[12] = (copy[12] as number) ^ 1;
  return copy;
}

function ioOver(bytes: Buffer, onRead: (count: number) => void = () => {}): FileIo {
  const stat = { size: bytes.length, inode: 1n, modifiedNs: 0n, isFolder: false, links: 1 };
  return {
    ...systemIo,
    open: () => 1,
    close: () => {},
    statOpen: () => stat,
    read: (_file, into, position) => {
      onRead(into.length);
      return bytes.copy(into, 0, position, position + into.length);
    },
  };
}

function readerOver(parts: readonly Buffer[], onRead?: (count: number) => void): LogReader {
  const bytes = Buffer.concat(parts);
  const known = advance(ioOver(bytes), 1, EMPTY_LOG, bytes.length);
  return new LogReader(ioOver(bytes, onRead), "log", undefined, { ...known, inode: 1n });
}

const ALL = { limit: 10_000, bytesMax: Number.MAX_SAFE_INTEGER };

function all(reader: LogReader, direction: "forward" | "backward" = "forward"): StoredEntry[] {
  return reader.page({ ...ALL, direction, from: null }).entries;
}

function ids(entries: readonly StoredEntry[]): string[] {
  return entries.map(({ id }) => id);
}

/** Page after page in one direction, put together in ascending order. */
function paged(reader: LogReader, query: Omit<LogPageQuery, "from">): StoredEntry[] {
  let collected: StoredEntry[] = [];
  for (let from: number | null = null; ; ) {
    const { entries, more } = reader.page({ ...query, from });
    collected = query.direction === "forward" ? [...collected, ...entries] : [...entries, ...collected];
    if (!more) return collected;
    from = (query.direction === "forward" ? entries.at(-1) : entries[0])?.seq ?? null;
  }
}

describe("pages of a log", () => {
  it("add up to the whole log, in both directions, for any size and damage", () => {
    const what = fc.constantFrom("message", "message", "message", "label", "damaged", "long");
    fc.assert(
      fc.property(
        fc.array(what, { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(400),
        (kinds, limit, bytesMax) => {
          const parts = kinds.map((kind, index) => {
            if (kind === "damaged") return damaged(line(index + 1));
            if (kind === "long") return line(index + 1, { text: "l".repeat(70_000) });
            return line(index + 1, { kind });
          });
          const reader = readerOver([HEADER, ...parts]);
          const readable = kinds.flatMap((kind, index) => (kind === "damaged" ? [] : [`e${index + 1}`]));
          const whole = all(reader);
          expect(ids(whole)).toEqual(readable);
          const parents = whole.map((_, index) => whole[index - 1]?.id ?? null);
          expect(whole.map(({ parentId }) => parentId)).toEqual(parents);
          expect(all(reader, "backward")).toEqual(whole);
          for (const direction of ["forward", "backward"] as const) {
            expect(paged(reader, { direction, limit, bytesMax })).toEqual(whole);
            const labels = whole.filter(({ kind }) => kind === "label");
            expect(paged(reader, { direction, limit, bytesMax, kind: "label" })).toEqual(labels);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it("contain at least one entry, however small the budget", () => {
    const reader = readerOver([HEADER, line(1), line(2)]);
    const page = reader.page({ direction: "forward", from: null, limit: 10, bytesMax: 1 });
    expect(ids(page.entries)).toEqual(["e1"]);
    expect(page.more).toBe(true);
  });

  it("end after the last and before the first entry", () => {
    const reader = readerOver([HEADER, line(1), line(2)]);
    expect(reader.page({ ...ALL, direction: "forward", from: 2 })).toEqual({ entries: [], more: false });
    expect(reader.page({ ...ALL, direction: "backward", from: 1 })).toEqual({ entries: [], more: false });
    expect(reader.page({ ...ALL, direction: "forward", from: null, limit: 2 }).more).toBe(false);
  });

  it("of a log without entries are empty", () => {
    expect(all(readerOver([]))).toEqual([]);
    expect(all(readerOver([HEADER]), "backward")).toEqual([]);
  });
});

describe("a large log", () => {
  const COUNT = 40_000;
  const parts = [HEADER];
  for (let number = 1; number <= COUNT; number++) {
    parts.push(number % 997 === 0 ? damaged(line(number)) : line(number, { text: "x".repeat(number % 300) }));
  }
  let read = 0;
  const reader = readerOver(parts, (count) => {
    read += count;
  });
  const total = parts.reduce((sum, { length }) => sum + length, 0);

  it.each([1, 2, 996, 998, 20_001, 39_999, COUNT])(
    "is entered at entry %i without reading the rest",
    (seq) => {
      expect(total).toBeGreaterThan(8_000_000);
      read = 0;
      const before = reader.page({ direction: "backward", from: seq, limit: 3, bytesMax: 1e9 });
      const after = reader.page({ direction: "forward", from: seq, limit: 3, bytesMax: 1e9 });
      const readable = (number: number): boolean => number >= 1 && number <= COUNT && number % 997 !== 0;
      const near = (numbers: number[]): string[] => numbers.filter(readable).map((number) => `e${number}`);
      expect(ids(before.entries)).toEqual(near([seq - 4, seq - 3, seq - 2, seq - 1]).slice(-3));
      expect(ids(after.entries)).toEqual(near([seq + 1, seq + 2, seq + 3, seq + 4]).slice(0, 3));
      expect(read).toBeLessThan(2_500_000);
    },
  );

  it("finds an entry by its id", () => {
    expect(reader.locate("e39999")).toBe(39_999);
    expect(reader.locate("e1")).toBe(1);
    expect(reader.locate("e40001")).toBeUndefined();
    expect(reader.locate("e997")).toBeUndefined();
  });

  it("finds an ascending id without reading the rest, and an id out of order too", () => {
    const uuid = (number: number): string => `01a1de8e-0000-7000-8000-${String(number).padStart(12, "0")}`;
    // One came late, from a process whose clock was behind.
    const numberAt = (place: number): number => (place === 20_000 ? 5 : place * 10);
    const entries = [HEADER];
    for (let place = 1; place <= COUNT; place++) {
      const json = JSON.stringify({ role: "user", content: "x".repeat(place % 300) });
      const draft = { id: uuid(numberAt(place)), kind: "message", at: AT, json };
      const at = { seq: place, parentId: null, operationId: undefined, batch: undefined };
      entries.push(encodeEntry(draft, at));
    }
    let bytes = 0;
    const found = readerOver(entries, (count) => {
      bytes += count;
    });
    for (const place of [1, 2, 777, 19_999, 20_001, COUNT - 1, COUNT]) {
      bytes = 0;
      expect(found.locate(uuid(place * 10))).toBe(place);
      expect(bytes).toBeLessThan(400_000);
    }
    expect(found.locate(uuid(5))).toBe(20_000);
    expect(found.locate(uuid(7))).toBeUndefined();
  });

  it("with lines of 1 MB is read from the right position too", () => {
    const long = [1, 2, 3, 4, 5, 6].map((number) => line(number, { text: "y".repeat(1_000_000) }));
    const longReader = readerOver([HEADER, ...long, line(7), line(8)]);
    for (let seq = 1; seq <= 8; seq++) {
      const { entries } = longReader.page({ ...ALL, direction: "forward", from: seq });
      expect(entries[0]?.seq).toBe(seq === 8 ? undefined : seq + 1);
    }
  });
});

describe("a damaged line", () => {
  it("in the middle does not affect the rest; the next entry follows the one before it, flagged", () => {
    const bad: number[] = [];
    const parts = [HEADER, line(1), damaged(line(2)), damaged(line(3)), line(4), line(5)];
    const bytes = Buffer.concat(parts);
    const reader = new LogReader(ioOver(bytes), "log", ({ start }) => bad.push(start));
    expect(all(reader)).toMatchObject([
      { id: "e1", parentId: null },
      { id: "e4", parentId: "e1", flags: ["parent-damaged"] },
      { id: "e5", parentId: "e4" },
    ]);
    expect(all(reader)[2]).not.toHaveProperty("flags");
    expect(bad.slice(0, 2)).toEqual([
      HEADER.length + line(1).length,
      HEADER.length + line(1).length + line(2).length,
    ]);
  });

  it("at the beginning leaves the next entry without a parent, flagged", () => {
    const reader = readerOver([HEADER, damaged(line(1)), line(2)]);
    expect(all(reader)).toMatchObject([{ id: "e2", parentId: null, flags: ["parent-damaged"] }]);
    expect(all(reader, "backward")).toEqual(all(reader));
  });

  it("is noticed between two pages as well as within one", () => {
    const reader = readerOver([HEADER, line(1), damaged(line(2)), line(3)]);
    const { entries } = reader.page({ ...ALL, direction: "forward", from: 1 });
    expect(entries).toMatchObject([{ id: "e3", parentId: "e1", flags: ["parent-damaged"] }]);
  });

  it("that was the header costs no entry", () => {
    expect(ids(all(readerOver([damaged(HEADER), line(1), line(2)])))).toEqual(["e1", "e2"]);
  });
});

describe("an append of several lines", () => {
  const batch = (first: number, count: number): Buffer[] =>
    Array.from({ length: count }, (_, index) => line(first + index, { batch: [index + 1, count] }));

  it("is invisible until its last line is there", () => {
    const lines = batch(2, 3);
    for (let there = 0; there < 3; there++) {
      expect(ids(all(readerOver([HEADER, line(1), ...lines.slice(0, there)])))).toEqual(["e1"]);
    }
    expect(ids(all(readerOver([HEADER, line(1), ...lines])))).toEqual(["e1", "e2", "e3", "e4"]);
  });

  it("is invisible while its last line has no newline", () => {
    const whole = Buffer.concat([HEADER, line(1), ...batch(2, 2)]);
    expect(ids(all(readerOver([whole.subarray(0, -1)])))).toEqual(["e1"]);
  });

  it.each([0, 1, 2])("shows its other lines when line %i of it is damaged later", (which) => {
    const lines = batch(1, 3);
    lines[which] = damaged(lines[which] as Buffer);
    const wanted = ["e1", "e2", "e3"].filter((_, index) => index !== which);
    expect(ids(all(readerOver([HEADER, ...lines])))).toEqual(wanted);
    expect(ids(all(readerOver([HEADER, ...lines, line(4)])))).toEqual([...wanted, "e4"]);
    expect(ids(all(readerOver([HEADER, ...lines, ...batch(4, 2)])))).toEqual([...wanted, "e4", "e5"]);
  });
});

describe("a page of a path", () => {
  /** Entries of `main` (0), of a branch (3) that leaves it at e2, and about the tree (-1). */
  const BRANCHES = [0, 0, -1, 3, 3, 0, 0, 3, -1, 0];
  const PARENTS = [null, "e1", "e2", "e2", "e4", "e2", "e6", "e5", null, "e7"];
  const MAIN: SeqRange[] = [
    [1, 2],
    [6, 7],
    [10, 10],
  ];
  const SIDE: SeqRange[] = [
    [1, 2],
    [4, 5],
    [8, 8],
  ];

  function tree(bad: readonly number[] = []): LogReader {
    const lines = BRANCHES.map((branch, index) => {
      const json = JSON.stringify({ role: "user", content: "x" });
      const bytes = encodeEntry(
        { id: `e${index + 1}`, kind: "message", at: AT, json },
        {
          ...{ seq: index + 1, parentId: PARENTS[index] as string | null, branch },
          ...{ operationId: undefined, batch: undefined },
        },
      );
      return bad.includes(index + 1) ? damaged(bytes) : bytes;
    });
    return readerOver([HEADER, ...lines]);
  }

  it.each([
    { ranges: MAIN, expected: ["e1", "e2", "e6", "e7", "e10"] },
    { ranges: SIDE, expected: ["e1", "e2", "e4", "e5", "e8"] },
  ])("contains its entries, in both directions, $expected", ({ ranges, expected }) => {
    for (const direction of ["forward", "backward"] as const) {
      expect(ids(tree().page({ ...ALL, direction, from: null, ranges }).entries)).toEqual(expected);
      for (const limit of [1, 2, 3]) {
        expect(ids(paged(tree(), { ...ALL, direction, limit, ranges }))).toEqual(expected);
      }
    }
  });

  it("starts anywhere, even at an entry that is not on the path", () => {
    const page = (direction: "forward" | "backward", from: number): string[] =>
      ids(tree().page({ ...ALL, direction, from, ranges: MAIN }).entries);
    expect(page("forward", 2)).toEqual(["e6", "e7", "e10"]);
    expect(page("forward", 4)).toEqual(["e6", "e7", "e10"]);
    expect(page("backward", 6)).toEqual(["e1", "e2"]);
    expect(page("backward", 8)).toEqual(["e1", "e2", "e6", "e7"]);
  });

  it("assigns an entry another parent only if its own is damaged", () => {
    for (const direction of ["forward", "backward"] as const) {
      const flagged = (bad: number[], ranges: SeqRange[] | undefined): [string, string | null][] =>
        tree(bad)
          .page({ ...ALL, direction, from: null, ranges })
          .entries.filter(({ flags }) => flags?.includes("parent-damaged"))
          .map(({ id, parentId }) => [id, parentId]);
      // Lines of other branches, and what is about the tree.
      for (const bad of [[3], [3, 4, 5], [8, 9]]) expect(flagged(bad, MAIN)).toEqual([]);
      expect(flagged([2], MAIN)).toEqual([["e6", "e1"]]);
      expect(flagged([6], MAIN)).toEqual([["e7", "e2"]]);
      expect(flagged([1], SIDE)).toEqual([["e2", null]]);
      expect(flagged([2], SIDE)).toEqual([["e4", "e1"]]);
      // In the whole log, the parent of an entry on another branch is not the line before it.
      for (const bad of [[3], [8, 9]]) expect(flagged(bad, undefined)).toEqual([]);
      expect(flagged([4], undefined)).toEqual([]);
    }
  });

  it("counts the bytes of blobs that it refers to", () => {
    const json = JSON.stringify({ role: "user", content: "x" });
    const blobs = [{ hash: "00", size: 1000, path: [], as: "reference" as const }];
    const lines = [1, 2, 3].map((seq) =>
      encodeEntry(
        { id: `e${seq}`, kind: "message", at: AT, json, blobs },
        { seq, parentId: null, operationId: undefined, batch: undefined },
      ),
    );
    const query = { direction: "forward", from: null, limit: 10, bytesMax: 2500 } as const;
    expect(ids(readerOver([HEADER, ...lines]).page(query).entries)).toEqual(["e1", "e2"]);
  });
});
