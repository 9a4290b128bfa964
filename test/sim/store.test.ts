import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstFailure, replayable, seeds } from "./seeds.ts";
import { StoreRun } from "./store-run.ts";

const SEEDS = seeds(400);
/** How the run says that something acknowledged is not there any more. */
const LOST = / instead of |is gone|the title is/;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a store of plain files on a disk whose power fails", () => {
  it("keeps every acknowledged change, in order, once, and no partial append", async () => {
    for (const seed of SEEDS) await replayable(seed, () => new StoreRun(seed).run());
  });

  it("keeps them wherever in a run the power fails", async () => {
    for (let crashAt = 1; crashAt <= 120; crashAt++) {
      await replayable(crashAt, () => new StoreRun(7, { crashAt }).run());
    }
  });

  it.each([
    { disk: "that is never synced", lie: { noSync: true } },
    { disk: "whose sync lies", lie: { lyingSync: true } },
    { disk: "whose folders are never synced", lie: { noFolderSync: true } },
  ])("loses changes on a disk $disk, and the simulation notices", async ({ lie }) => {
    expect(await firstFailure(SEEDS, LOST, (seed) => new StoreRun(seed, lie).run())).toBeDefined();
  });

  it("loses appends when durability is only that of the process, and the simulation notices", async () => {
    expect(await firstFailure(SEEDS, LOST, (seed) => new StoreRun(seed, {}, "process").run())).toMatch(
      / instead of /,
    );
  });
});
