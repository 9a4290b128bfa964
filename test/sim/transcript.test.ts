import { describe, expect, it } from "vitest";
import { firstFailure, replayable, seeds } from "./seeds.ts";
import { TranscriptRun } from "./transcript-run.ts";

const SEEDS = seeds(400);
/** How the run says that something acknowledged is not there any more. */
const LOST = / instead of |the model is|There is no conversation/;

describe("a transcript on a disk whose power fails", () => {
  it("keeps every acknowledged message, once and in order, and no partial one", async () => {
    for (const seed of SEEDS) await replayable(seed, () => new TranscriptRun(seed).run());
  });

  it("keeps them wherever in a run the power fails", async () => {
    for (let crashAt = 1; crashAt <= 150; crashAt++) {
      await replayable(crashAt, () => new TranscriptRun(7, { crashAt }).run());
    }
  });

  it.each([
    { disk: "that is never synced", lie: { noSync: true } },
    { disk: "whose sync lies", lie: { lyingSync: true } },
    { disk: "whose folders are never synced", lie: { noFolderSync: true } },
  ])("loses messages on a disk $disk, and the simulation notices", async ({ lie }) => {
    expect(await firstFailure(SEEDS, LOST, (seed) => new TranscriptRun(seed, lie).run())).toBeDefined();
  });
});
