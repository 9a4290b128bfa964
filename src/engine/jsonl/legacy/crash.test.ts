import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Dice } from "../../../../test/sim/dice.ts";
import { FOLDER, open } from "../../../../test/sim/jsonl-kit.ts";
import { type Faults, SimulatedDisk } from "../../../../test/sim/simulated-disk.ts";
import type { StoredEntry } from "../../../message/types.ts";
import type { JsonlEngine } from "../jsonl-engine.ts";

const FIXTURES = "test/fixtures/own/sessions";
const files = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.includes("."),
);

function diskWith(seed: number): SimulatedDisk {
  const disk = new SimulatedDisk(new Dice(seed));
  disk.makeFolder(FOLDER);
  disk.makeFolder(join(FOLDER, "notes"));
  for (const name of files) disk.place(join(FOLDER, name), readFileSync(join(FIXTURES, name)));
  return disk;
}

const ALL = {
  direction: "forward",
  from: null,
  limit: 1000,
  bytesMax: 1e9,
  kind: undefined,
  branch: null,
} as const;

function titlesOf(engine: JsonlEngine): unknown[] {
  const infos = engine.list({ trash: false, limit: 100, after: undefined });
  return infos.map(({ id, key, title, model, contextState }) => ({ id, key, title, model, contextState }));
}

function entriesOf(engine: JsonlEngine): Record<string, StoredEntry[]> {
  const infos = engine.list({ trash: false, limit: 100, after: undefined });
  return Object.fromEntries(infos.map(({ id }) => [id, engine.page({ ...ALL, conversation: id }).entries]));
}

async function migrateAll(engine: JsonlEngine): Promise<void> {
  for (const { conversation } of await engine.legacyConversations()) await engine.migrateLegacy(conversation);
}

/** Migrate until the power fails; returns the disk after the crash. */
async function cutOff(crashAt: number, faults: Faults = {}): Promise<SimulatedDisk> {
  const disk = diskWith(crashAt);
  Object.assign(disk.faults, faults);
  disk.faults.crashAt = disk.changes + crashAt;
  try {
    const { engine } = await open(disk);
    await migrateAll(engine);
    await engine.close();
  } catch (error) {
    if (!disk.off) throw error;
  }
  return disk.off ? disk.crash() : disk;
}

/** Every legacy file, byte for byte, where it was or in `legacy/`. */
function lostOriginals(disk: SimulatedDisk): string[] {
  const there = disk.paths().map((path) => disk.content(path).toString("latin1"));
  return files.filter((name) => !there.includes(readFileSync(join(FIXTURES, name), "latin1")));
}

describe("a migration whose power fails", () => {
  it("loses and duplicates nothing, wherever it fails, and is completed by the next opener", async () => {
    const before = (await open(diskWith(0), FOLDER, true)).engine;
    const [whole, titles] = [entriesOf(before), titlesOf(before)];
    let wasCut = 0;
    for (let crashAt = 1; crashAt < 400; crashAt++) {
      const disk = await cutOff(crashAt);
      const reader = await open(disk, FOLDER, true);
      expect(entriesOf(reader.engine)).toEqual(whole);
      expect(titlesOf(reader.engine)).toEqual(titles);
      await reader.engine.close();
      expect(lostOriginals(disk)).toEqual([]);
      const { engine } = await open(disk);
      if ((await engine.legacyConversations()).length > 0) wasCut++;
      await migrateAll(engine);
      expect(entriesOf(engine)).toEqual(whole);
      expect(titlesOf(engine)).toEqual(titles);
      expect((await engine.verify()).findings.map(({ code }) => code)).toEqual(["bad-line", "bad-line"]);
      expect(lostOriginals(disk)).toEqual([]);
      await engine.close();
    }
    expect(wasCut).toBeGreaterThan(50);
  });

  it("does lose something on a disk whose folders are never synced, and the test notices", async () => {
    const whole = entriesOf((await open(diskWith(0), FOLDER, true)).engine);
    const lost = async (crashAt: number): Promise<boolean> => {
      const disk = await cutOff(crashAt, { noFolderSync: true, noSync: true });
      try {
        const { engine } = await open(disk, FOLDER, true);
        return JSON.stringify(entriesOf(engine)) !== JSON.stringify(whole) || lostOriginals(disk).length > 0;
      } catch {
        return true;
      }
    };
    let found = 0;
    for (let crashAt = 60; crashAt < 200 && found === 0; crashAt++) if (await lost(crashAt)) found = crashAt;
    expect(found).toBeGreaterThan(0);
  });
});
