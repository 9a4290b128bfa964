import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  AT,
  append,
  blobOf,
  codes,
  created,
  done,
  newDisk,
  open,
  say,
} from "../../../../test/sim/jsonl-kit.ts";
import type { BlobOperation } from "../../operations.ts";

const LATER = "2026-01-02T00:00:00.000Z";

describe("blobs", () => {
  it("are stored once, before the entry that refers to them", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    const { blob, ref } = blobOf(Buffer.from("picture"));
    await done(engine, append(id, [say("a", "x", [ref])], { blobs: [blob] }));
    await done(engine, append(id, [say("b", "y", [ref])], { blobs: [blob] }));
    await done(engine, append(id, [say("c", "z", [ref])]));
    expect(disk.paths().filter((path) => path.includes("blobs"))).toEqual([
      `/store/blobs/${ref.hash.slice(0, 2)}/${ref.hash}`,
    ]);
    const { engine: again } = await open(disk.crash());
    expect(again.blob(ref.hash, 2, 3)).toMatchObject({ size: 7, storedBytes: 7, encoding: "none" });
    expect(Buffer.from(again.blob(ref.hash, 2, 3)?.data ?? []).toString()).toBe("ctu");
    expect(again.blob(ref.hash, 9, 3)?.data).toHaveLength(0);
    expect(again.blob("0".repeat(64), 0, 1)).toBeUndefined();
  });

  it("that are compressed are files that any zstd program reads", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const original = Buffer.from("long text ".repeat(100));
    const frames = Buffer.concat([
      zstdCompressSync(original.subarray(0, 300)),
      zstdCompressSync(original.subarray(300)),
    ]);
    const { blob, ref } = blobOf(frames, "zstd", original);
    const id = await created(engine);
    await done(engine, append(id, [say("a", "x", [ref])], { blobs: [blob] }));
    const part = engine.blob(ref.hash, 0, 100_000);
    expect(part).toMatchObject({ size: 1000, storedBytes: frames.length, encoding: "zstd" });
    expect(Buffer.from(part?.data ?? [])).toEqual(frames);
    const path = disk.paths().find((name) => name.endsWith(`${ref.hash}.zst`)) as string;
    expect(zstdDecompressSync(disk.content(path))).toEqual(original);
    expect(await codes(engine)).toEqual([]);
  });

  it("are uploaded piece by piece, each once, and exist once they are kept", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const { blob, ref } = blobOf(Buffer.from("abcdef"));
    const piece = (position: number, text: string, keep?: BlobOperation["keep"]): BlobOperation => ({
      type: "blob",
      upload: "u-1",
      position,
      data: Buffer.from(text),
      at: AT,
      keep,
    });
    expect((await done(engine, piece(0, "abc"))).length).toBe(3);
    expect((await done(engine, piece(0, "abcd"))).length).toBe(4);
    expect(await engine.commit([piece(9, "x")])).toMatchObject([{ error: { code: "CONFLICT" } }]);
    expect(engine.blob(ref.hash, 0, 9)).toBeUndefined();
    const { hash, size, encoding } = blob;
    await done(engine, piece(4, "ef", { hash, size, encoding }));
    expect(Buffer.from(engine.blob(hash, 0, 9)?.data ?? []).toString()).toBe("abcdef");
    expect((await done(engine, piece(4, "ef", { hash, size, encoding }))).length).toBe(6);
    const bad = { ...piece(0, "x"), upload: "../escape" };
    expect(await engine.commit([bad])).toMatchObject([{ error: { code: "VALIDATION_ERROR" } }]);
  });

  it("without references are removed when they are old, and a damaged line keeps its blobs", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    const [used, damaged] = [blobOf(Buffer.from("used")), blobOf(Buffer.from("damaged"))];
    const unused = blobOf(Buffer.from("unused"));
    await done(engine, append(id, [say("a", "x", [used.ref])], { blobs: [used.blob, unused.blob] }));
    await done(engine, append(id, [say("b", "y", [damaged.ref])], { blobs: [damaged.blob] }));
    await done(engine, {
      type: "blob",
      upload: "u",
      position: 0,
      data: Buffer.from("abc"),
      at: AT,
      keep: undefined,
    });
    await engine.close();
    const log = disk.paths().find((path) => path.endsWith(".jsonl")) as string;
    const content = Buffer.from(disk.content(log));
    content[content.indexOf('"y"') + 1] = 0x7a;
    disk.place(log, content);
    const again = await open(disk);
    const collect = (before: string) => ({ type: "collect", before, at: AT }) as const;
    expect((await done(again.engine, collect(AT))).removed?.blobs).toBe(0);
    expect((await done(again.engine, collect(LATER))).removed).toMatchObject({ blobs: 2, bytes: 9 });
    expect(again.engine.blob(unused.ref.hash, 0, 1)).toBeUndefined();
    for (const { ref } of [used, damaged]) expect(again.engine.blob(ref.hash, 0, 1)).toBeDefined();
  });

  it("are removed although an entry names them that refers to others", async () => {
    const { engine } = await open(newDisk());
    const id = await created(engine);
    const [used, named] = [blobOf(Buffer.from("used")), blobOf(Buffer.from("named"))];
    const entry = say("a", named.ref.hash, [used.ref]);
    await done(engine, append(id, [entry], { blobs: [used.blob, named.blob] }));
    await done(engine, { type: "collect", before: LATER, at: AT });
    expect(engine.blob(named.ref.hash, 0, 1)).toBeUndefined();
    expect(engine.blob(used.ref.hash, 0, 1)).toBeDefined();
  });

  it("that are missing or damaged are reported", async () => {
    const disk = newDisk();
    const { engine } = await open(disk);
    const id = await created(engine);
    const [missing, bad] = [blobOf(Buffer.from("missing")), blobOf(Buffer.from("damaged"))];
    await done(
      engine,
      append(id, [say("a", "x", [missing.ref, bad.ref])], { blobs: [missing.blob, bad.blob] }),
    );
    const pathOf = (hash: string): string => `/store/blobs/${hash.slice(0, 2)}/${hash}`;
    disk.remove(pathOf(missing.ref.hash));
    disk.place(pathOf(bad.ref.hash), Buffer.from("damagee"));
    expect(await codes(engine)).toEqual(["missing-blob", "bad-blob"]);
  });

  it("count towards the size of each conversation that refers to them", async () => {
    const { engine } = await open(newDisk());
    const [a, b] = [await created(engine), await created(engine)];
    const plain = engine.stats().sizes[a] as number;
    const { blob, ref } = blobOf(Buffer.alloc(5000, "x"));
    await done(engine, append(a, [say("a", "x", [ref]), say("b", "x", [ref])], { blobs: [blob] }));
    const { sizes, reclaimable } = engine.stats();
    expect(sizes[a]).toBeGreaterThan(plain + 5000);
    expect(sizes[a]).toBeLessThan(plain + 10_000);
    expect(sizes[b]).toBe(plain);
    expect(reclaimable).toBe(0);
  });
});
