/** How long a profile is paused after failures. Pure: no file, no clock. */
import type { FailureKind, Usage } from "../types.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS: readonly number[] = [1, 5, 25, 60].map((minutes) => minutes * MINUTE_MS);
const BILLING_FIRST_MS = 5 * HOUR_MS;
const LONGEST_MS = 24 * HOUR_MS;

/** By failures in a row: 1, 5, 25, then 60 minutes; for billing 5 hours, doubling up to 24. */
export function cooldownMs(kind: FailureKind, count: number): number {
  if (kind === "billing") return Math.min(BILLING_FIRST_MS * 2 ** Math.min(count - 1, 10), LONGEST_MS);
  return STEPS_MS[Math.min(count, STEPS_MS.length) - 1] ?? 0;
}

/**
 * When the cooldown ends, or `undefined` when there is none.
 *
 * No cooldown is longer than a day: one that ends later was written by a clock
 * that has been set back since, and could pause the profile for years.
 */
export function restsUntil(usage: Usage, now: number): number | undefined {
  const { cooldownUntil } = usage;
  if (cooldownUntil === undefined || cooldownUntil <= now || cooldownUntil > now + LONGEST_MS)
    return undefined;
  return cooldownUntil;
}

export function afterSuccess(usage: Usage, now: number): Usage {
  const { failureCount: _f, billingCount: _b, cooldownUntil: _c, lastFailure: _l, ...kept } = usage;
  return { ...kept, lastUsed: now };
}

/**
 * A failure counts once: a call that fails during a cooldown was started
 * before, and ten parallel calls that hit one limit are one failure. Only a
 * billing failure extends a cooldown of another kind.
 */
export function afterFailure(usage: Usage, kind: FailureKind, now: number): Usage {
  const resting = restsUntil(usage, now);
  const sameIncident = kind !== "billing" || usage.lastFailure === "billing";
  if (resting !== undefined && sameIncident) return { ...usage, lastFailed: now };
  const failureCount = (usage.failureCount ?? 0) + 1;
  const billingCount = (usage.billingCount ?? 0) + (kind === "billing" ? 1 : 0);
  const count = kind === "billing" ? billingCount : failureCount - billingCount;
  const cooldownUntil = Math.max(resting ?? 0, now + cooldownMs(kind, count));
  const counts = { failureCount, ...(billingCount > 0 ? { billingCount } : {}) };
  return { ...usage, ...counts, lastFailed: now, lastFailure: kind, cooldownUntil };
}
