import { expect, it } from "vitest";
import { LINE_BYTES_MAX } from "../../../disk/line-scan.ts";
import type { Stretch } from "../../../store/originals/announcement.ts";
import type { ByteSource } from "../../sources/types.ts";
import { FileStream, type Keeper } from "./file-stream.ts";

const noFallback = (): never => {
  throw new Error("every record has its conversation");
};
const CHUNK = Buffer.alloc(16 * 1024 * 1024, "x");

function source(chunks: number): ByteSource {
  return {
    async *chunks() {
      yield Buffer.from("first\n");
      for (let count = 0; count < chunks; count++) yield CHUNK;
    },
    async close() {},
  };
}

it("a line that is longer than any record leaves in parts, all of them with its neighbour", async () => {
  const stream = new FileStream(0, noFallback);
  const kept: Stretch[] = [];
  const keeper: Keeper = { keep: (at) => kept.push(at) };
  let line = 0;
  for await (const chunk of stream.recording(source(12)).chunks()) {
    if (line++ === 0) {
      stream.add(0, chunk.length, false);
      stream.claim(0, keeper);
    }
    stream.cut(2);
    stream.release();
    const begun = kept.reduce((sum, [, bytes]) => sum + bytes, 0);
    expect(stream.end - begun).toBeLessThanOrEqual(LINE_BYTES_MAX);
  }
  stream.add(6, 12 * CHUNK.length, false, 2);
  stream.release();
  expect(kept[0]).toEqual([0, 6]);
  for (const [index, [start, bytes]] of kept.slice(0, -1).entries()) {
    expect(kept[index + 1]?.[0]).toBe(start + bytes);
  }
  expect(kept.at(-1)?.reduce((start, bytes) => start + bytes)).toBe(stream.end);
});

it("an element that is longer than any record is not kept, and neither is its memory", async () => {
  const stream = new FileStream(0, noFallback);
  for await (const _ of stream.recording(source(40)).chunks());
  const kept: Stretch[] = [];
  stream.add(6, 40 * CHUNK.length, false);
  stream.claim(6, { keep: (at) => kept.push(at) });
  stream.releaseAll();
  expect(kept).toEqual([]);
  expect(stream.unread(stream.end).length).toBeLessThan(300 * 1024 * 1024);
});

it("ranges that nobody claims go with the next claim, in time that grows with their number", async () => {
  const stream = new FileStream(0, noFallback);
  const line = Buffer.from("{}\n");
  const count = 200_000;
  const bytes = Buffer.concat(Array.from({ length: count }, () => line));
  const whole: ByteSource = {
    async *chunks() {
      yield bytes;
    },
    async close() {},
  };
  for await (const _ of stream.recording(whole).chunks());
  for (let index = 0; index < count; index++) stream.add(index * line.length, line.length, false);
  let kept = 0;
  stream.claim((count - 1) * line.length, {
    keep: ([, length]) => {
      kept += length;
    },
  });
  stream.releaseAll();
  expect(kept).toBe(bytes.length);
});
