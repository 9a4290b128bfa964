import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineRun, succeeded } from "./engine-run.ts";
import { firstFailure, replayable, seeds } from "./seeds.ts";

const SEEDS = seeds(300);
/** How the run reports that acknowledged data is missing, or that removed data is still there. */
const LOST = /lost: |taken away|and is there|half of an append|not there|twice|another feed|verify|shorter/;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("an engine on plain files whose processes are killed and whose power fails", () => {
  it("keeps branches, turns, blobs and removals, and its feed has every entry once", async () => {
    for (const seed of SEEDS) await replayable(seed, () => new EngineRun(seed).run());
    // A replay of one seed need not do everything.
    if (SEEDS.length < 300) return;
    for (const type of ["append", "trash", "restore", "purge", "redact", "sweep", "journal", "collect"]) {
      expect([type, succeeded.get(type as "append") ?? 0]).toEqual([
        type,
        expect.toSatisfy((count) => count > 10),
      ]);
    }
  });

  it("keeps them wherever in a run the power fails", async () => {
    for (let crashAt = 1; crashAt <= 200; crashAt++) {
      await replayable(crashAt, () => new EngineRun(11, { crashAt }).run());
    }
  });

  it.each([
    { disk: "that is never synced", lie: { noSync: true } },
    { disk: "whose sync lies", lie: { lyingSync: true } },
    { disk: "whose folders are never synced", lie: { noFolderSync: true } },
    { disk: "that does not sync the feed", lie: { noSyncOf: /store\.feed/ } },
    { disk: "that does not sync journals", lie: { noSyncOf: /turn\.jsonl/ } },
    { disk: "that does not sync blobs", lie: { noSyncOf: /blobs/ } },
    { disk: "that does not sync rewritten logs", lie: { noSyncOf: /\.colloquy-.*\d{17}\.jsonl/ } },
  ])("loses something on a disk $disk, and the simulation notices", async ({ lie }) => {
    expect(await firstFailure(SEEDS, LOST, (seed) => new EngineRun(seed, lie).run())).toBeDefined();
  });
});
