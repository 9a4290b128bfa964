import { describe, expect, it } from "vitest";
import {
  AT,
  append,
  blobOf,
  branched,
  codes,
  control,
  created,
  done,
  entriesOf,
  FOLDER,
  idsOf,
  newDisk,
  open,
  STEM,
  say,
} from "../../../../test/sim/jsonl-kit.ts";
import type { SimulatedDisk } from "../../../../test/sim/simulated-disk.ts";
import { purgeMark } from "../../removal-rules.ts";
import type { JsonlEngine } from "../jsonl-engine.ts";

const LOG = `${FOLDER}/${STEM}.jsonl`;
const REDACTED = JSON.stringify({ role: "user", content: "[redacted]" });

const redact = (conversation: string, entry: string) =>
  ({ type: "redact", conversation, entry, json: REDACTED, at: AT }) as const;
const sweep = (conversation: string) => ({ type: "sweep", conversation, at: AT }) as const;
const purge = (conversation: string) => ({ type: "purge", force: true, conversation, at: AT }) as const;
const trash = (conversation: string) => ({ type: "trash", conversation, at: AT }) as const;

/** Files in which a text occurs. */
function filesWith(disk: SimulatedDisk, text: string): string[] {
  return disk.paths().filter((path) => disk.content(path).includes(text));
}

function textsOf(engine: JsonlEngine, id: string): unknown[] {
  return entriesOf(engine, id, null).map(({ message }) => message?.content);
}

describe("redacting", () => {
  it("replaces the content of an entry everywhere, and moves nothing", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    const { blob, ref } = blobOf(Buffer.from("a secret picture"));
    const entries = [say("a"), say("b", "the secret", [ref]), say("c")];
    await done(engine, append(id, entries, { operationId: "op", blobs: [blob] }));
    const before = entriesOf(engine, id);
    const { removed } = await done(engine, redact(id, "b"));
    expect(removed).toMatchObject({ entries: 1, blobs: 1, copies: [] });
    expect(textsOf(engine, id)).toEqual(["text of a", "[redacted]", "text of c"]);
    const places = (list: typeof before): unknown => list.map(({ message: _, blobs: __, ...rest }) => rest);
    expect(places(entriesOf(engine, id))).toEqual(places(before));
    expect(filesWith(disk, "secret")).toEqual([]);
    expect(engine.blob(ref.hash, 0, 10)).toBeUndefined();
    expect(await codes(engine)).toEqual([]);
    await done(engine, append(id, [say("d")]));
    expect(idsOf((await open(disk)).engine, id)).toEqual(["a", "b", "c", "d"]);
  });

  it("is noticed by other readers and writers", async () => {
    const disk = newDisk();
    const [{ engine: one }, { engine: two, problems }] = [await open(disk), await open(disk)];
    const id = await created(one);
    await done(one, append(id, [say("a", "x".repeat(3000)), say("b")]));
    await done(two, append(id, [say("c")], { operationId: "op" }));
    await done(one, redact(id, "a"));
    expect(textsOf(two, id)).toEqual(["[redacted]", "text of b", "text of c"]);
    await done(two, append(id, [say("d")]));
    expect((await done(two, append(id, [say("c")], { operationId: "op" }))).append?.replayed).toBe(true);
    expect(idsOf(one, id)).toEqual(["a", "b", "c", "d"]);
    expect(problems).toEqual([]);
  });

  it("names copies that may contain the same content, and does not change them", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    await done(engine, append(id, [say("entry-a")]));
    const aside = [`${LOG}.torn-20260101000000000`, `${FOLDER}/${STEM}.meta.json.damaged-20260101000000000`];
    disk.place(aside[0] as string, Buffer.from('{"id":"entry-a"'));
    disk.place(aside[1] as string, Buffer.from("something else"));
    const { removed } = await done(engine, redact(id, "entry-a"));
    expect(removed?.copies).toEqual([aside[0]]);
    expect(disk.paths()).toEqual(expect.arrayContaining(aside));
  });

  it("of a missing entry or conversation is refused", async () => {
    const { engine } = await open(newDisk());
    const id = await created(engine);
    expect(await engine.commit([redact(id, "none")])).toMatchObject([
      { ok: false, error: { code: "NOT_FOUND" } },
    ]);
  });
});

describe("sweeping", () => {
  it("removes entries that no branch contains, and continues the numbers", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await branched(engine);
    expect((await done(engine, sweep(id))).removed?.entries).toBe(0);
    const prune = { type: "prune", branches: [3] };
    await done(engine, append(id, [control("prune", prune)]));
    expect((await done(engine, sweep(id))).removed).toMatchObject({ entries: 2, blobs: 0 });
    // Both began a run.
    expect(entriesOf(engine, id, null).map(({ id: entry, kind }) => [entry, kind])).toEqual([
      ["a", "message"],
      ["b", "message"],
      ["fork", "info"],
      ["x", "removed"],
      ["c", "message"],
      ["y", "removed"],
      ["prune", "info"],
    ]);
    expect(filesWith(disk, "text of x")).toEqual([]);
    expect((await done(engine, sweep(id))).removed?.entries).toBe(0);
    const { append: result } = await done(engine, append(id, [say("d")]));
    expect(result).toMatchObject({ places: [{ seq: 8, parentId: "c" }] });
    expect(idsOf(engine, id)).toEqual(["a", "b", "c", "d"]);
    expect(engine.byId(id)).toMatchObject({ messageCount: 4, branchCount: 1, head: "d" });
    expect((await open(disk)).engine.logEnd(id)).toEqual(engine.logEnd(id));
    expect(await codes(engine)).toEqual([]);
  });
});

describe("purging", () => {
  it("leaves nothing, wherever the conversation was, and no name is reused", async () => {
    for (const isTrashed of [false, true]) {
      const disk = newDisk();
      const [{ engine }, { engine: other }] = [await open(disk), await open(disk)];
      const [id, kept] = [await created(engine), await created(engine)];
      const [shared, own] = [blobOf(Buffer.from("shared")), blobOf(Buffer.from("own"))];
      const blobs = [shared.blob, own.blob];
      await done(engine, append(id, [say("a", "secret", [shared.ref, own.ref])], { blobs }));
      await done(engine, append(kept, [say("k", "kept", [shared.ref])]));
      const lease = { type: "lease", action: "acquire", conversation: id, token: "t" } as const;
      const grant = await done(engine, { ...lease, ttlMs: 1000, wait: false });
      await done(engine, {
        type: "journal",
        conversation: id,
        epoch: grant.lease?.epoch ?? 0,
        turn: "t",
        header: {},
        position: 0,
        text: "a secret answer",
      });
      await done(engine, { type: "update", conversation: id, patch: { title: "secret" }, at: AT });
      disk.place(`${LOG}.torn-20260101000000000`, Buffer.from("secret"));
      if (isTrashed) await done(engine, trash(id));
      expect((await done(engine, purge(id))).removed).toMatchObject({ entries: 1, blobs: 1, copies: [] });
      expect(filesWith(disk, "secret")).toEqual([]);
      expect(disk.paths().filter((path) => path.includes(STEM))).toEqual([]);
      for (const one of [engine, other]) {
        expect(one.byId(id)).toBeUndefined();
        expect(one.blob(own.ref.hash, 0, 9)).toBeUndefined();
        expect(one.blob(shared.ref.hash, 0, 9)?.size).toBe(6);
        expect(await one.commit([append(id, [say("b")])])).toMatchObject([{ error: { code: "NOT_FOUND" } }]);
      }
      await created(other);
      expect(disk.paths().filter((path) => path.includes(STEM))).toEqual([]);
      expect(await codes(engine)).toEqual([]);
    }
  });

  it("happens completely or not at all, wherever the power fails, and the next opener completes it", async () => {
    for (let crashAt = 1; crashAt <= 40; crashAt++) {
      const disk = newDisk();
      const { engine } = await open(disk);
      const id = await created(engine);
      const { blob, ref } = blobOf(Buffer.from("picture"));
      await done(engine, append(id, [say("a", "secret", [ref])], { blobs: [blob] }));
      disk.faults.crashAt = disk.changes + crashAt;
      const outcomes = await Promise.resolve(engine.commit([purge(id)])).catch(() => []);
      const left = disk.crash();
      const { engine: again, problems } = await open(left);
      const isThere = again.byId(id) !== undefined;
      if (outcomes[0]?.ok && !disk.off) expect(isThere).toBe(false);
      expect(again.purged("", 9), `power cut ${crashAt}`).toEqual(isThere ? [] : [purgeMark(id)]);
      if (isThere) {
        expect(textsOf(again, id)).toEqual(["secret"]);
        expect(again.blob(ref.hash, 0, 9)?.size).toBe(7);
      } else
        expect(left.paths().filter((path) => path.includes(STEM) || path.includes("blobs/"))).toEqual([]);
      expect([await codes(again), problems]).toEqual([[], []]);
    }
  });
});
