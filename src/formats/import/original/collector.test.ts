import { describe, expect, it } from "vitest";
import type { ByteSource } from "../../sources/types.ts";
import { Collector, type QueuedOriginal } from "./collector.ts";
import { FileStream } from "./file-stream.ts";
import { returnMemory } from "./segment-memory.ts";

const noFallback = (): never => {
  throw new Error("every record has its conversation");
};
const LINE = Buffer.from(`${"line ".repeat(60)}\n`);
const LONG = Buffer.from(`${"A long record. ".repeat(200_000)}\n`);

describe("the memory of segments", () => {
  it("is used again once it was returned, and not before", () => {
    const first = gathered(500);
    const second = gathered(500);
    expect(bytesOf(first).equals(Buffer.concat(Array(500).fill(LINE)))).toBe(true);
    expect(memoriesOf(first)).not.toEqual([]);
    expect(memoriesOf(second)).not.toContain(memoriesOf(first)[0]);
    for (const memory of memoriesOf(first)) returnMemory(memory);
    expect(memoriesOf(first)).toContain(memoriesOf(gathered(500))[0]);
    expect(bytesOf(second).equals(Buffer.concat(Array(500).fill(LINE)))).toBe(true);
  });

  it("is freed at once for a long record", async () => {
    const [queued] = await streamed([new Collector("lines", () => {})]);
    expect(bytesOf(queued).equals(LONG)).toBe(true);
    for (const memory of memoriesOf(queued)) returnMemory(memory);
    expect(queued?.segments.every(({ bytes }) => bytes.length === 0)).toBe(true);
  });

  it("is not shared by two conversations that keep the same long record", async () => {
    const collectors = [new Collector("lines", () => {}), new Collector("lines", () => {})];
    const [one, other] = await streamed(collectors);
    for (const memory of memoriesOf(one)) returnMemory(memory);
    expect(bytesOf(other).equals(LONG)).toBe(true);
  });
});

describe("the bytes of a file", () => {
  it("are kept as they are while a reader holds a record and more is read", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => Buffer.from(`${index} ${"word ".repeat(4000)}\n`));
    const file = Buffer.concat(lines);
    const stream = new FileStream(0, noFallback);
    const collector = new Collector("lines", () => {});
    const source: ByteSource = {
      async *chunks() {
        for (let at = 0; at < file.length; at += 65_536) yield file.subarray(at, at + 65_536);
      },
      async close() {},
    };
    let [next, start, held] = [0, 0, 0];
    for await (const _ of stream.recording(source).chunks()) {
      for (
        let line = lines[next];
        line !== undefined && start + line.length <= stream.end;
        line = lines[++next]
      ) {
        stream.add(start, line.length, false);
        // The last record stays with the reader until the next one was read.
        if (next > 0) stream.claim(held, collector);
        held = start;
        start += line.length;
      }
      stream.release();
    }
    stream.claim(held, collector);
    stream.release();
    expect(bytesOf(collector.take(file.length)).equals(file)).toBe(true);
  });
});

/** So many lines, as one conversation gathers them. */
function gathered(lines: number): QueuedOriginal | undefined {
  const collector = new Collector("lines", () => {});
  for (let line = 0; line < lines; line++) collector.keep([line * LINE.length, LINE.length], LINE, false);
  return collector.take(undefined);
}

/** What each conversation has of a file that is one long record. */
async function streamed(collectors: readonly Collector[]): Promise<(QueuedOriginal | undefined)[]> {
  const stream = new FileStream(0, noFallback);
  const source: ByteSource = {
    async *chunks() {
      for (let at = 0; at < LONG.length; at += 65_536) yield LONG.subarray(at, at + 65_536);
    },
    async close() {},
  };
  for await (const _ of stream.recording(source).chunks());
  stream.add(0, LONG.length, false);
  for (const collector of collectors) stream.claim(0, collector);
  stream.release();
  return collectors.map((collector) => collector.take(undefined));
}

function bytesOf(queued: QueuedOriginal | undefined): Buffer {
  return Buffer.concat(queued?.segments.map(({ bytes }) => bytes) ?? []);
}

function memoriesOf(queued: QueuedOriginal | undefined): Buffer[] {
  return queued?.segments.flatMap(({ memory }) => memory ?? []) ?? [];
}
