/** A disk that fills up while conversations are imported: a real file system without room. */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forgetSources } from "../../src/formats/import/forget.ts";
import { importConversations } from "../../src/formats/import/run.ts";
import { openStore } from "../../src/store/open.ts";
import { ENGINES, isRoot, lacks, must } from "../process/child-process.ts";
import { contentDifferences, contentOf, type StoreContent } from "../support/samples/store-content.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { writeSources } from "../torture/import/sources.ts";

async function imported(target: string, sources: string): Promise<StoreContent> {
  await using store = await openStore(target);
  await importConversations(store, [sources]);
  expect((await store.verify()).findings).toEqual([]);
  return await contentOf(store);
}

describe.skipIf(lacks(isRoot, "a full file system needs root, to mount a small tmpfs"))("a full disk", () => {
  it.each(ENGINES)("ends an import into %s, and the next one makes the store whole", async (engine) => {
    const folder = tempFolder();
    const [sources, disk] = [join(folder, "sources"), join(folder, "disk")];
    writeSources(sources, { formats: ["codex"], longBytes: 1_500_000 });
    mkdirSync(disk);
    must("mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk);
    try {
      const target = `${engine}:${join(disk, "store")}`;
      const ballast = join(disk, "ballast");
      // Room for a part of the import, and at last for none of it.
      for (const free of [400_000, 1_000_000]) {
        writeFileSync(ballast, Buffer.alloc(12 * 1024 * 1024 - free));
        const ended = await imported(target, sources).catch((error: unknown) => error);
        expect(ended).toMatchObject({ code: "SERVICE_UNAVAILABLE" });
        rmSync(ballast);
      }
      const whole = await imported(`${engine}:${join(folder, "whole")}`, sources);
      expect(contentDifferences(whole, await imported(target, sources))).toEqual([]);
    } finally {
      must("umount", "-l", disk);
    }
  });

  it("does not bring back what was forgotten", async () => {
    const folder = tempFolder();
    const [sources, disk] = [join(folder, "sources"), join(folder, "disk")];
    writeSources(sources, { formats: [], longBytes: 10_000 });
    mkdirSync(disk);
    must("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk);
    try {
      await using store = await openStore(`sqlite:${join(disk, "store")}`);
      await importConversations(store, [sources]);
      await forgetSources(store, [sources]);
      const ballast = openSync(join(disk, "ballast"), "w");
      expect(() => {
        for (;;) writeSync(ballast, Buffer.alloc(4096));
      }).toThrow("ENOSPC");
      closeSync(ballast);
      await expect(importConversations(store, [sources])).rejects.toMatchObject({
        code: "SERVICE_UNAVAILABLE",
      });
      rmSync(join(disk, "ballast"));
      const { forgotten, messages } = await importConversations(store, [sources]);
      expect([forgotten > 0, messages]).toEqual([true, 0]);
    } finally {
      must("umount", "-l", disk);
    }
  });
});
