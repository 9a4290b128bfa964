import { describe, expect, it } from "vitest";
import { type FileIo, systemIo } from "../disk/file-io.ts";
import { encodeEntry, encodeHeader, sealObject } from "./lines.ts";
import { advance, EMPTY_LOG, type LogState } from "./log-state.ts";

const AT = "2026-01-01T00:00:00.000Z";
const HEADER = encodeHeader({ id: "c1", key: null, createdAt: AT, generation: 1 });

function line(number: number, batch?: readonly [number, number], text = "hello"): Buffer {
  return encodeEntry(
    { id: `e${number}`, kind: "message", at: AT, json: JSON.stringify({ role: "user", content: text }) },
    { seq: number, parentId: null, operationId: batch && `op${number - batch[0]}`, batch },
  );
}

interface Counted {
  readonly state: LogState;
  readonly entries: string[];
  readonly bad: number;
}

function count(bytes: Buffer, syncedBytes: number, from: LogState = EMPTY_LOG): Counted {
  const io: FileIo = {
    ...systemIo,
    read: (_, into, position) => bytes.copy(into, 0, position, position + into.length),
  };
  const entries: string[] = [];
  let bad = 0;
  const listener = { entry: ({ id }: { id: string }) => entries.push(id), bad: () => bad++ };
  return { state: advance(io, 0, from, bytes.length, listener, syncedBytes), entries, bad };
}

/** What a power cut leaves of a line whose pages in the middle never reached the disk. */
function unwritten(bytes: Buffer): Buffer {
  return Buffer.from(bytes).fill(0, 20, 60);
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[20] = (copy[20] as number) ^ 1;
  return copy;
}

describe("counting a log", () => {
  const start = Buffer.concat([HEADER, line(1)]);

  it("continues as if it had read everything at once", () => {
    const whole = Buffer.concat([start, line(2), line(3)]);
    const first = count(whole.subarray(0, start.length), 0);
    const rest = count(whole, start.length, first.state);
    expect(rest.state).toEqual(count(whole, 0).state);
    expect(rest.entries).toEqual(["e2", "e3"]);
  });

  it("stops at pages that were never written, because nothing after them was acknowledged", () => {
    const torn = Buffer.concat([start, line(2), unwritten(line(3)), line(4)]);
    const counted = count(torn, start.length);
    expect(counted.entries).toEqual(["e1", "e2"]);
    expect(counted.bad).toBe(0);
    expect(counted.state.bytes).toBe(start.length + line(2).length);
  });

  it.each([0, 1, 2])(
    "never takes part of an append for the whole when page %i of it was not written",
    (which) => {
      const batch = [line(2, [1, 3]), line(3, [2, 3]), line(4, [3, 3])];
      batch[which] = unwritten(batch[which] as Buffer);
      const counted = count(Buffer.concat([start, ...batch, line(5)]), start.length);
      expect(counted.entries).toEqual(["e1"]);
      expect(counted.state.bytes).toBe(start.length);
    },
  );

  it("treats zeros in the synced range as damage, and keeps what follows", () => {
    const bytes = Buffer.concat([start, unwritten(line(2)), line(3)]);
    expect(count(bytes, bytes.length)).toMatchObject({ entries: ["e1", "e3"], bad: 1 });
  });

  it("treats zeros as damage if the synced range is unknown", () => {
    const bytes = Buffer.concat([start, unwritten(line(2)), line(3)]);
    expect(count(bytes, 0)).toMatchObject({ entries: ["e1", "e3"], bad: 1 });
  });

  it("skips a damaged line and never reuses its number", () => {
    const counted = count(Buffer.concat([start, flipped(line(2))]), start.length);
    expect(counted).toMatchObject({
      entries: ["e1"],
      bad: 1,
      state: { lastSeq: 2, head: "e1", messages: 1 },
    });
  });

  it("keeps the readable lines of an append whose other lines were joined, if another append follows", () => {
    const batch = Buffer.concat([line(2, [1, 3]), line(3, [2, 3]), line(4, [3, 3])]);
    batch[line(2, [1, 3]).length + line(3, [2, 3]).length - 1] = 0x20;
    const counted = count(Buffer.concat([start, batch, line(5, [1, 2]), line(6, [2, 2])]), 0);
    expect(counted).toMatchObject({ entries: ["e1", "e2", "e5", "e6"], bad: 1, state: { messages: 4 } });
  });

  it("preserves a NUL in a message", () => {
    expect(count(Buffer.concat([start, line(2, undefined, "a\u0000b")]), start.length).entries).toEqual([
      "e1",
      "e2",
    ]);
  });

  it("refuses a log of a newer version instead of reading half of it", () => {
    const newer = sealObject({ _type: "metadata", version: 3, id: "x", created_at: AT });
    expect(() => count(newer, 0)).toThrow(expect.objectContaining({ code: "NOT_SUPPORTED" }));
  });
});
