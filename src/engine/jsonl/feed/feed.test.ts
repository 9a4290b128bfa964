import { describe, expect, it } from "vitest";
import { AT, append, created, done, FOLDER, newDisk, open, say } from "../../../../test/sim/jsonl-kit.ts";
import type { FeedPlace } from "../../queries.ts";
import type { JsonlEngine } from "../jsonl-engine.ts";
import {
  changeRecord,
  decodeRecord,
  encodeRecord,
  entriesRecord,
  type FeedRecord,
  RECORD_BYTES,
} from "./feed-record.ts";

const FEED = `${FOLDER}/store.feed`;
const STEM = "20260101000000000";

function told(engine: JsonlEngine, after: FeedPlace, limit = 100): string[] {
  return engine.changes(after, limit).changes.map(({ type, entry }) => entry?.id ?? type);
}

describe("a record of the feed", () => {
  const uuid = "0199b76d-0000-7000-8000-00000000abcd";

  it("survives a round trip", () => {
    const entries = { ...entriesRecord("99991231235959999", 2 ** 40, 10_000, "id"), continues: true };
    for (const record of [entries, changeRecord("purged", STEM, uuid)]) {
      expect(encodeRecord(record)).toHaveLength(RECORD_BYTES);
      expect(decodeRecord(encodeRecord(record))).toEqual({ ...record, sum: expect.any(Number) });
    }
  });

  it("detects every flipped bit, and never consists of zeros", () => {
    const bytes = encodeRecord(entriesRecord(STEM, 1, 1, "id"));
    for (let bit = 0; bit < RECORD_BYTES * 8; bit++) {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(decodeRecord(copy)).toBeUndefined();
    }
    expect(decodeRecord(Buffer.alloc(RECORD_BYTES))).toBeUndefined();
  });
});

describe("the feed of changes", () => {
  it("returns every change after a place, to any reader, in pages of any size", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two }] = [await open(disk), await open(disk)];
    const { place } = one.changes(null, 0);
    const id = await created(one);
    await done(two, append(id, [say("a"), say("b"), say("c")]));
    await done(one, { type: "update", conversation: id, patch: { title: "x" }, at: AT });
    await done(one, append(id, [say("d")]));
    const all = ["created", "a", "b", "c", "updated", "d"];
    expect(told(two, place)).toEqual(all);
    for (const limit of [1, 2, 4]) {
      const found: string[] = [];
      for (let at = place; ; ) {
        const { changes, place: next } = one.changes(at, limit);
        if (changes.length === 0) break;
        found.push(...changes.map(({ type, entry }) => entry?.id ?? type));
        at = next;
      }
      expect(found).toEqual(all);
      const middle = one.changes(place, 3).changes.at(-1)?.place as FeedPlace;
      expect(told(two, middle)).toEqual(all.slice(3));
    }
    expect(told(one, one.changes(null, 0).place)).toEqual([]);
  });

  it("costs an append one record, and several of one commit one write", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const [a, b] = [await created(engine), await created(engine)];
    const before = disk.content(FEED).length;
    await engine.commit([append(a, [say("a"), say("b")]), append(b, [say("c")]), append(a, [say("d")])]);
    expect(disk.content(FEED)).toHaveLength(before + 3 * RECORD_BYTES);
  });

  it("omits a failed write, and contains its retry once", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    const { place } = engine.changes(null, 0);
    const feed = disk.stat(FEED)?.inode;
    const { write } = disk;
    disk.write = (file, bytes, position) => {
      if (disk.statOpen(file).inode === feed) return write.call(disk, file, bytes, position);
      throw Object.assign(new Error("EIO"), { syscall: "write" });
    };
    expect(await engine.commit([append(id, [say("a")])])).toMatchObject([{ ok: false }]);
    disk.write = write;
    expect(told(engine, place)).toEqual([]);
    await done(engine, append(id, [say("a")]));
    expect(told(engine, place)).toEqual(["a"]);
  });

  it("misses no append that is decided while a page is read", async () => {
    const disk = newDisk();
    const [{ engine: reader }, { engine: writer }] = [await open(disk), await open(disk)];
    const { place } = reader.changes(null, 0);
    const id = await created(writer);
    await done(writer, append(id, [say("a")]));
    expect(told(reader, place)).toEqual(["created", "a"]);
    const feed = disk.stat(FEED)?.inode;
    const { write, open: openFile } = disk;
    let page: ReturnType<JsonlEngine["changes"]> | undefined;
    disk.write = (file, bytes, position) => {
      if (disk.statOpen(file).inode === feed) return write.call(disk, file, bytes, position);
      disk.write = write;
      // The record is in the feed, its entry is not in the log. Both are complete once the reader has the log open.
      disk.open = (path, mode) => {
        const opened = openFile.call(disk, path, mode);
        if (path !== `${FOLDER}/${STEM}.jsonl`) return opened;
        disk.open = openFile;
        disk.write(file, bytes, position);
        const records = disk.content(FEED);
        const at = records.length - RECORD_BYTES;
        const intent = decodeRecord(Buffer.from(records.subarray(at))) as FeedRecord;
        disk.write(disk.open(FEED, "write"), encodeRecord({ ...intent, type: "entries" }), at);
        return opened;
      };
      page = reader.changes(place, 100);
      return disk.write(file, bytes, position);
    };
    await done(writer, append(id, [say("b")]));
    const first = page?.changes.map(({ type, entry }) => entry?.id ?? type) ?? [];
    expect([...first, ...told(reader, page?.place as FeedPlace)]).toEqual(["created", "a", "b"]);
  });

  it("of a store without a feed starts with its current content", async () => {
    const disk = newDisk();
    const first = await open(disk);
    const id = await created(first.engine);
    await done(first.engine, append(id, [say("a")]));
    await first.engine.close();
    disk.remove(FEED);
    const reader = await open(disk, FOLDER, true);
    const { place } = reader.engine.changes(null, 0);
    const { engine } = await open(disk);
    expect(told(engine, place)).toEqual([]);
    await done(engine, append(id, [say("b")]));
    expect(told(engine, place)).toEqual(["b"]);
    expect(told(reader.engine, place)).toEqual(["b"]);
  });

  it("refuses a place of another feed", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const { place } = engine.changes(null, 0);
    disk.remove(FEED);
    const again = await open(disk);
    expect(() => again.engine.changes([...place], 10)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", field: "since" }),
    );
  });
});
