import { describe, expect, it } from "vitest";
import type { FailureKind, Usage } from "../types.ts";
import { afterFailure, afterSuccess, cooldownMs, restsUntil } from "./cooldown.ts";

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Fail again as soon as the rest is over. */
function failing(kinds: readonly FailureKind[]): { usage: Usage; rests: number[] } {
  let usage: Usage = {};
  let now = NOW;
  const rests = kinds.map((kind) => {
    usage = afterFailure(usage, kind, now);
    const rest = (usage.cooldownUntil ?? 0) - now;
    now = usage.cooldownUntil ?? now;
    return rest;
  });
  return { usage, rests };
}

describe("the cooldown after failures", () => {
  it.each<[FailureKind, number[]]>([
    ["rate-limit", [1, 5, 25, 60, 60]],
    ["auth", [1, 5, 25, 60, 60]],
    ["network", [1, 5, 25, 60, 60]],
    ["billing", [300, 600, 1200, 1440, 1440]],
  ])("of kind %s grows up to a limit", (kind, minutes) => {
    expect(failing(minutes.map(() => kind)).rests).toEqual(minutes.map((count) => count * MINUTE));
  });

  it("counts billing failures separately", () => {
    const { usage, rests } = failing(["rate-limit", "billing", "rate-limit", "billing"]);
    expect(rests).toEqual([MINUTE, 5 * HOUR, 5 * MINUTE, 10 * HOUR]);
    expect(usage).toMatchObject({ failureCount: 4, billingCount: 2, lastFailure: "billing" });
  });

  it("never overflows, however often it fails", () => {
    expect(cooldownMs("billing", 5000)).toBe(24 * HOUR);
    expect(cooldownMs("auth", 5000)).toBe(HOUR);
  });

  it("counts ten calls that fail together as one failure", () => {
    let usage: Usage = {};
    for (let call = 0; call < 10; call++) usage = afterFailure(usage, "rate-limit", NOW + call);
    expect(usage).toMatchObject({ failureCount: 1, cooldownUntil: NOW + MINUTE, lastFailed: NOW + 9 });
  });

  it("is extended by a billing failure, and never shortened", () => {
    const limited = afterFailure({}, "rate-limit", NOW);
    const broke = afterFailure(limited, "billing", NOW + 1);
    expect(broke.cooldownUntil).toBe(NOW + 1 + 5 * HOUR);
    expect(afterFailure(broke, "rate-limit", NOW + 2).cooldownUntil).toBe(NOW + 1 + 5 * HOUR);
  });

  it("is cleared by a success", () => {
    const { usage } = failing(["billing", "auth"]);
    const well = afterSuccess(usage, NOW);
    expect(well).toEqual({ lastUsed: NOW, lastFailed: usage.lastFailed });
    expect(afterFailure(well, "billing", NOW).cooldownUntil).toBe(NOW + 5 * HOUR);
  });

  it("is ignored when the clock was set back, instead of lasting for years", () => {
    const usage = { cooldownUntil: NOW + HOUR };
    expect(restsUntil(usage, NOW)).toBe(NOW + HOUR);
    expect(restsUntil(usage, NOW - 365 * 24 * HOUR)).toBeUndefined();
    expect(restsUntil(usage, NOW + HOUR)).toBeUndefined();
  });
});
