import { describe, expect, it } from "vitest";
import {
  AT,
  append,
  blobOf,
  branched,
  codes,
  created,
  done,
  idsOf,
  newDisk,
  open,
  say,
} from "../../../../test/sim/jsonl-kit.ts";

describe("a backup", () => {
  it("is a store as of one moment, with branches, trash and blobs, and without leases", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await branched(engine);
    const trashed = await created(engine);
    const { blob, ref } = blobOf(Buffer.from("picture"));
    await done(engine, append(trashed, [say("t", "x", [ref])], { blobs: [blob] }));
    await done(engine, { type: "trash", conversation: trashed, at: AT });
    const lease = { type: "lease", action: "acquire", conversation: id, token: "t" } as const;
    await done(engine, { ...lease, ttlMs: 1000, wait: false });
    await done(engine, {
      type: "journal",
      conversation: id,
      epoch: 1,
      turn: "t",
      header: {},
      position: 0,
      text: "so far",
    });
    await engine.backup("/backup");
    const copy = (await open(disk, "/backup")).engine;
    expect(idsOf(copy, id, "side")).toEqual(["a", "x", "y"]);
    expect(copy.byId(id)).toEqual(engine.byId(id));
    expect(copy.byId(trashed)).toEqual(engine.byId(trashed));
    expect(copy.turn(id, 0)?.text).toBe("so far");
    expect(copy.blob(ref.hash, 0, 9)?.size).toBe(7);
    expect(await codes(copy)).toEqual([]);
    const names = disk.paths().filter((path) => path.startsWith("/backup") && /lease|alive|tmp/.test(path));
    expect(names).toEqual([]);
    await expect(engine.backup("/backup")).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("contains complete appends while others write, and nothing that was purged during the copy", async () => {
    const disk = newDisk();
    const [{ engine }, { engine: other }] = [await open(disk), await open(disk)];
    const chats: string[] = [];
    for (let n = 0; n < 6; n++) {
      const id = await created(engine);
      await done(engine, append(id, [say(`${n}-a`, "secret"), say(`${n}-b`)]));
      chats.push(id);
    }
    const [purged, redacted, moved, ...others] = chats as [string, string, string, ...string[]];
    const running = engine.backup("/backup");
    for (let n = 0; n < 20; n++) {
      await new Promise(setImmediate);
      for (const id of others) await done(other, append(id, [say(`${id}-${n}`), say(`${id}-${n}+`)]));
      if (n === 2) await done(other, { type: "purge", force: true, conversation: purged, at: AT });
      const json = JSON.stringify({ role: "user", content: "" });
      if (n === 3) await done(other, { type: "redact", conversation: redacted, entry: "1-a", json, at: AT });
      if (n === 4) await done(other, { type: "trash", conversation: moved, at: AT });
    }
    await running;
    const { engine: copy, problems } = await open(disk, "/backup", true);
    expect([await codes(copy), problems]).toEqual([[], []]);
    expect(copy.byId(purged)).toBeUndefined();
    expect(idsOf(copy, redacted)).toEqual(["1-a", "1-b"]);
    expect(copy.byId(moved)).toBeDefined();
    for (const id of others) expect(idsOf(copy, id).length % 2).toBe(0);
    const secrets = disk
      .paths()
      .filter((path) => path.startsWith("/backup") && disk.content(path).includes("secret"));
    expect(secrets).toHaveLength(4);
  });

  it("that fails leaves nothing", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    await branched(engine);
    disk.faults.bytesLeft = 200;
    await expect(engine.backup("/backup")).rejects.toThrow();
    expect(disk.paths().filter((path) => !path.startsWith("/store"))).toEqual([]);
    expect(disk.openFiles).toBeLessThan(20);
  });
});
