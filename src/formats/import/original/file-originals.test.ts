import { expect, it } from "vitest";
import { surroundings } from "../../../../test/support/samples/recording-sink.ts";
import { openStore } from "../../../store/open.ts";
import type { SourceRecord } from "../../contract/reader.ts";
import { FileOriginals } from "./file-originals.ts";

function row(id: string, length: number): SourceRecord {
  return { value: { id, text: "x".repeat(length) }, line: null, offset: null };
}

it("rows leave before all entries that were made of them, and not before those are read", async () => {
  await using store = await openStore("ephemeral:");
  const originals = new FileOriginals(
    { form: "rows", from: 0, keepsRows: true },
    { ingest: store.ingest(), file: "a.db", verify: false, missing: () => {} },
    () => writer,
  );
  const queue: string[] = [];
  const writer: Parameters<FileOriginals["claim"]>[0] = {
    ...{ id: "c", start: { sourceId: "c" } },
    add: (queued) => {
      queue.push("segments" in queued ? `${rowsIn(queued.segments)} rows` : queued.entry.id);
    },
  };
  const add = (id: string, ...records: SourceRecord[]): void => {
    const claimed = originals.claim(writer, records);
    const origin = { format: "opencode", file: "a.db", around: surroundings("a.db") };
    originals.add({ entry: { id }, parent: null, after: null, origin, bytes: 1, ...claimed }, writer);
  };
  const [message, long, more] = [row("m1", 10), row("p1", 2_000_000), row("p2", 10)];
  add("call", message, long, more);
  add("result", long);
  expect(queue).toEqual([]);
  add("next", row("m2", 10));
  expect(queue).toEqual(["3 rows", "call", "result"]);
  originals.flush(writer, undefined);
  expect(queue.slice(3)).toEqual(["1 rows", "next"]);
});

function rowsIn(segments: readonly { readonly bytes: Buffer }[]): number {
  return Buffer.concat(segments.map(({ bytes }) => bytes))
    .toString()
    .split("\n")
    .slice(0, -1).length;
}
