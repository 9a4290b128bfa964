import { describe, expect, it } from "vitest";
import { torture } from "./torture.ts";

/** The same as `npm run torture`, in small. */
describe.each(["sqlite", "jsonl"] as const)("%s under kill -9", { timeout: 60_000 }, (engine) => {
  it("keeps what was acknowledged, once, whole and in order", async () => {
    const { kills, acknowledged, recoveryMaxMs, ...problems } = await torture({ engine, kills: 15, seed: 7 });
    expect(problems).toEqual({ lost: [], duplicated: [], partial: [], wrong: [] });
    expect(kills).toBe(15);
    expect(acknowledged).toBeGreaterThan(100);
    expect(recoveryMaxMs).toBeLessThan(2000);
  });
});
