import { describe, expect, it } from "vitest";
import { Dice } from "../../../../test/sim/dice.ts";
import {
  AT,
  append,
  created,
  done,
  entriesOf,
  FOLDER,
  newDisk,
  open,
  STEM,
  say,
} from "../../../../test/sim/jsonl-kit.ts";
import { SimulatedDisk } from "../../../../test/sim/simulated-disk.ts";
import type { JournalOperation, LeaseGrant, LeaseOperation, Operation } from "../../operations.ts";
import type { JsonlEngine } from "../jsonl-engine.ts";

const JOURNAL = `${FOLDER}/${STEM}.turn.jsonl`;

async function lease(
  engine: JsonlEngine,
  conversation: string,
  token: string,
  more: Partial<LeaseOperation> = {},
): Promise<LeaseGrant> {
  const base = { action: "acquire", ttlMs: 1000, wait: false } as const;
  const { lease: grant } = await done(engine, { type: "lease", conversation, token, ...base, ...more });
  return grant as LeaseGrant;
}

const piece = (
  conversation: string,
  position: number,
  text: string,
  more: Partial<JournalOperation> = {},
): JournalOperation => ({
  type: "journal",
  conversation,
  epoch: 1,
  turn: "t1",
  position,
  text,
  header: position === 0 ? { model: "m" } : undefined,
  ...more,
});

describe("a lease", () => {
  it("has one holder at a time, and epochs increase", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two }] = [await open(disk), await open(disk)];
    const id = await created(one);
    expect(await lease(one, id, "a")).toMatchObject({ granted: true, epoch: 1 });
    expect(await lease(two, id, "b")).toMatchObject({ granted: false, ahead: 1 });
    disk.upMs += 2000;
    expect(await lease(two, id, "b")).toMatchObject({ granted: true, epoch: 2 });
    const stale = append(id, [say("a")], { epoch: 1 });
    expect(await one.commit([stale])).toMatchObject([{ error: { code: "CONFLICT", field: "lease" } }]);
    await done(two, append(id, [say("a")], { epoch: 2 }));
  });

  it("of a dead process is free at once", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two }] = [await open(disk), await open(disk)];
    const id = await created(one);
    await lease(one, id, "a");
    await one.close();
    expect(await lease(two, id, "b")).toMatchObject({ granted: true, epoch: 2 });
  });

  it("that is damaged is lost, and its epochs are not reused", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await lease(engine, id, "a");
    disk.place(`${FOLDER}/${STEM}.lease.json`, Buffer.from("{ torn"));
    expect((await lease(engine, id, "b")).epoch).toBeGreaterThan(1000);
  });
});

/** Counts what costs time, and can fail to sync one file. */
class CountingDisk extends SimulatedDisk {
  failing: string | undefined;
  #calls: Record<string, number> = {};
  readonly #paths = new Map<number, string>();

  /** The calls since the last count. */
  count(): Record<string, number> {
    const calls = this.#calls;
    this.#calls = {};
    return calls;
  }

  #note(call: string): void {
    this.#calls[call] = (this.#calls[call] ?? 0) + 1;
  }

  override open(path: string, mode: "read" | "write" | "create"): number {
    const file = super.open(path, mode);
    this.#paths.set(file, path);
    return file;
  }

  override sync(file: number): void {
    this.#note("sync");
    if (this.#paths.get(file) === this.failing) this.faults.failingSyncs = 1;
    super.sync(file);
  }

  override syncFolder(folder: string): void {
    this.#note("syncFolder");
    super.syncFolder(folder);
  }

  override rename(from: string, to: string): void {
    this.#note("rename");
    super.rename(from, to);
  }

  override remove(path: string): void {
    this.#note("remove");
    super.remove(path);
  }
}

describe("a turn and the disk", () => {
  const begun = async (disk: SimulatedDisk): Promise<{ engine: JsonlEngine; id: string }> => {
    const { engine } = await open(disk);
    const id = await created(engine);
    await lease(engine, id, "a");
    await done(engine, piece(id, 0, ""));
    return { engine, id };
  };
  const first = (id: string): Operation => append(id, [say("q")], { epoch: 1, operationId: "t1/1" });

  it("renames nothing, and syncs as often as it has something to promise", async () => {
    const disk = new CountingDisk(new Dice(1));
    const { engine, id } = await begun(disk);
    const end = { endsTurn: "t1", releases: "a", operationId: "t1/end" };
    await done(engine, append(id, [say("a")], { epoch: 1, ...end }));
    disk.count();
    await lease(engine, id, "a");
    await done(engine, piece(id, 0, "", { epoch: 2, turn: "t2" }));
    expect(disk.count()).toEqual({});
    await done(engine, append(id, [say("q")], { epoch: 2, operationId: "t2/1" }));
    expect(disk.count()).toEqual({ sync: 2, syncFolder: 1 });
    await done(engine, piece(id, 0, "text", { epoch: 2, turn: "t2", header: undefined }));
    expect(disk.count()).toEqual({ sync: 1 });
    await done(engine, append(id, [say("b")], { epoch: 2, ...end, endsTurn: "t2", operationId: "t2/end" }));
    expect(disk.count()).toEqual({ sync: 1, remove: 1 });
  });

  it("survives a power cut with its first entry, and its text from then on", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const disk = new SimulatedDisk(new Dice(seed));
      const { engine, id } = await begun(disk);
      await done(engine, first(id));
      const isStreaming = seed % 2 === 0;
      if (isStreaming) await done(engine, piece(id, 0, "half", { header: undefined }));
      const { engine: after } = await open(disk.crash());
      expect(after.turn(id, 0)).toMatchObject({ id: "t1", text: isStreaming ? "half" : "" });
      expect(entriesOf(after, id).length).toBe(1);
    }
  });

  it("is written again after a sync that failed, although its entry is durable", async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const disk = new CountingDisk(new Dice(seed));
      const { engine, id } = await begun(disk);
      const { place } = engine.changes(null, 1);
      disk.failing = JOURNAL;
      expect(await engine.commit([first(id)])).toMatchObject([{ error: { code: "SERVICE_UNAVAILABLE" } }]);
      disk.failing = undefined;
      expect((await done(engine, first(id))).append?.replayed).toBe(true);
      expect(engine.changes(place, 100).changes.map(({ type }) => type)).toEqual(["entry"]);
      const { engine: after } = await open(disk.crash());
      expect(after.turn(id, 0)?.id).toBe("t1");
    }
  });
});

describe("a journal", () => {
  it("keeps pieces for other readers, each once", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two }] = [await open(disk), await open(disk)];
    const id = await created(one);
    await lease(one, id, "a");
    expect(two.turn(id, 0)).toBeUndefined();
    expect((await done(one, piece(id, 0, "half of a pair \ud83d"))).length).toBe(16);
    expect(two.turn(id, 0)).toMatchObject({ id: "t1", header: { model: "m" }, length: 16 });
    await done(one, piece(id, 16, "\ude00 and"));
    expect((await done(one, piece(id, 16, "\ude00 and more"))).length).toBe(26);
    expect(two.turn(id, 17)).toMatchObject({ text: " and more", length: 26 });
    expect(two.turn(id, 0)?.text).toBe("half of a pair 😀 and more");
  });

  it("of another turn, with a gap or without the lease is refused", async () => {
    const { engine } = await open(newDisk());
    const id = await created(engine);
    await lease(engine, id, "a");
    const refused = async (operation: JournalOperation): Promise<void> => {
      expect(await engine.commit([operation])).toMatchObject([{ error: { code: "CONFLICT" } }]);
    };
    await refused(piece(id, 3, "text"));
    await done(engine, piece(id, 0, "text"));
    await refused(piece(id, 0, "text", { turn: "t2" }));
    await refused(piece(id, 9, "text"));
    await refused(piece(id, 4, "text", { epoch: 7 }));
    expect(engine.turn(id, 0)?.text).toBe("text");
  });

  it("ends with an append, so that the next turn may begin in the same commit", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await lease(engine, id, "a");
    await done(engine, piece(id, 0, "first"));
    const ends = append(id, [say("answer")], { endsTurn: "t1", operationId: "t1/end" });
    await engine.commit([ends, piece(id, 0, "second", { turn: "t2" })]);
    expect(engine.turn(id, 0)).toMatchObject({ id: "t2", text: "second" });
    // A retry of the end ends nothing else.
    await done(engine, ends);
    expect(engine.turn(id, 0)?.id).toBe("t2");
    await done(engine, append(id, [say("other")], { endsTurn: "t2" }));
    expect(disk.paths()).not.toContain(JOURNAL);
  });

  it("that was torn continues after the last readable piece", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await lease(engine, id, "a");
    await done(engine, piece(id, 0, "one "));
    const whole = disk.content(JOURNAL);
    disk.place(JOURNAL, Buffer.concat([whole, Buffer.from('{"position":4,"te')]));
    expect(engine.turn(id, 0)?.text).toBe("one ");
    await done(engine, piece(id, 4, "two"));
    expect((await open(disk)).engine.turn(id, 0)?.text).toBe("one two");
    expect(disk.content(JOURNAL).subarray(0, whole.length)).toEqual(whole);
  });

  it("moves to the trash and back with its conversation", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await lease(engine, id, "a");
    await done(engine, piece(id, 0, "text"));
    await done(engine, { type: "trash", conversation: id, at: AT });
    expect(engine.turn(id, 0)).toBeUndefined();
    expect(disk.paths()).toContain(`${FOLDER}/trash/${STEM}.turn.jsonl`);
    await done(engine, { type: "restore", conversation: id, at: AT });
    expect(engine.turn(id, 0)?.text).toBe("text");
    // A crash in the middle of moving can leave it there.
    disk.rename(JOURNAL, `${FOLDER}/trash/${STEM}.turn.jsonl`);
    expect(engine.turn(id, 0)?.text).toBe("text");
    await done(engine, piece(id, 4, " more"));
    expect(disk.paths()).toContain(JOURNAL);
  });
});
