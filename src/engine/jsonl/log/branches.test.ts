import { describe, expect, it } from "vitest";
import {
  append,
  branched,
  codes,
  control,
  created,
  done,
  FOLDER,
  idsOf,
  newDisk,
  open,
  STEM,
  say,
} from "../../../../test/sim/jsonl-kit.ts";
import { decodeMetadata, encodeMetadata, type Metadata } from "../../../transcript/metadata.ts";

const METADATA = `${FOLDER}/${STEM}.meta.json`;

describe("branches in plain files", () => {
  it("are read by their path, and the whole log without one", async () => {
    const { engine } = await open(newDisk());
    const id = await branched(engine);
    expect(idsOf(engine, id)).toEqual(["a", "b", "c"]);
    expect(idsOf(engine, id, "side")).toEqual(["a", "x", "y"]);
    expect(idsOf(engine, id, null)).toEqual(["a", "b", "fork", "x", "c", "y"]);
    expect(() => idsOf(engine, id, "none")).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
    expect(engine.byId(id)).toMatchObject({ head: "c", branchCount: 2, messageCount: 5 });
    expect(await codes(engine)).toEqual([]);
  });

  it("are read from the metadata, without reading the log", async () => {
    const disk = newDisk();
    const first = await open(disk);
    const id = await branched(first.engine);
    await done(
      first.engine,
      append(id, [
        { ...control("sum", { first_kept_seq: 2 }), kind: "compaction" },
        control("undo", { type: "undo-compaction", compaction: "sum" }),
        { ...control("sum2", { first_kept_seq: 2 }), kind: "compaction" },
      ]),
    );
    const logEnd = first.engine.logEnd(id);
    await first.engine.close();
    const metadata = JSON.parse(disk.content(METADATA).toString());
    expect(metadata).toMatchObject({ branch_count: 2, compaction_count: 1, head: "sum2", message_count: 5 });
    let reads = 0;
    const { read } = disk;
    disk.read = (file, into, position) => {
      if (disk.statOpen(file).inode === disk.stat(`${FOLDER}/${STEM}.jsonl`)?.inode) reads++;
      return read.call(disk, file, into, position);
    };
    const { engine } = await open(disk);
    expect(engine.logEnd(id)).toEqual(logEnd);
    expect(engine.byId(id)).toMatchObject({ head: "sum2", branchCount: 2, compactionCount: 1 });
    expect(reads).toBe(0);
  });

  it("are folded again if the metadata has no readable tree", async () => {
    const disk = newDisk();
    const first = await open(disk);
    const id = await branched(first.engine);
    await first.engine.close();
    const whole = decodeMetadata(disk.content(METADATA)) as Metadata;
    const lost = encodeMetadata({ ...whole, other: { tree: { of: "another version" } } });
    const again = newDisk();
    for (const path of disk.paths()) again.place(path, path === METADATA ? lost : disk.content(path));
    const { engine, problems } = await open(again);
    expect(idsOf(engine, id, "side")).toEqual(["a", "x", "y"]);
    expect(engine.byId(id)).toMatchObject({ messageCount: 5, branchCount: 2 });
    expect(problems).toEqual([]);
  });

  it("take appends of several processes", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two }] = [await open(disk), await open(disk)];
    const id = await branched(one);
    await done(two, append(id, [say("d")]));
    await done(one, append(id, [say("z")], { branch: "side" }));
    for (const engine of [one, two]) {
      expect(idsOf(engine, id)).toEqual(["a", "b", "c", "d"]);
      expect(idsOf(engine, id, "side")).toEqual(["a", "x", "y", "z"]);
    }
    expect(two.logEnd(id)).toEqual(one.logEnd(id));
  });

  it("whose parents are damaged are reported", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await done(engine, append(id, [say("a")]));
    const path = `${FOLDER}/${STEM}.jsonl`;
    const { encodeEntry } = await import("../../../transcript/lines.ts");
    const line = (seq: number, entry: string, parentId: string): Buffer =>
      encodeEntry(say(entry), { seq, parentId, operationId: undefined, batch: undefined });
    const lines = [
      line(2, "b", "c"),
      line(3, "c", "b"),
      line(4, "d", "nobody"),
      line(5, "e", "f"),
      line(6, "f", "a"),
    ];
    disk.place(path, Buffer.concat([disk.content(path), ...lines]));
    expect(await codes(engine)).toEqual(["cycle", "dangling-parent", "late-parent", "bad-feed"]);
    expect(idsOf((await open(disk)).engine, id)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });
});
