/**
 * How many failed logins there may be: 5 a minute and 20 an hour for each client, 60 a minute for all.
 *
 * An attempt counts as failed until it has succeeded, so that many at once cannot slip through. The counts are in the
 * records and survive a restart. A device that has signed in before has its own count and none of the others', so that
 * a third party cannot lock it out.
 */
import { ColloquyError } from "../../../errors.ts";
import type { Records } from "../records/records.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PER_MINUTE = 5;
const PER_HOUR = 20;
const ALL_PER_MINUTE = 60;

/** Whose count it is. */
export interface Bucket {
  readonly name: string;
  /** A device that the gateway knows: the limit of all others is not its own. */
  readonly isKnown: boolean;
}

/** Throws `RATE_LIMITED`, or counts an attempt and returns its number, for `attemptSucceeded`. */
export function beginAttempt(records: Records, nowMs: number, { name, isKnown }: Bucket): number {
  return records.writeLazily(() => {
    // A clock that was set back must not keep failures of the future.
    records.run("DELETE FROM failures WHERE at <= ? OR at > ?", nowMs - HOUR_MS, nowMs);
    const waitMs = Math.max(
      waitFor(records, nowMs, PER_MINUTE, MINUTE_MS, "bucket = ?", name),
      waitFor(records, nowMs, PER_HOUR, HOUR_MS, "bucket = ?", name),
      isKnown
        ? 0
        : waitFor(records, nowMs, ALL_PER_MINUTE, MINUTE_MS, "bucket LIKE 'client:%' AND ? <> ''", name),
    );
    if (waitMs > 0) throw limited(waitMs);
    const row = records.get("INSERT INTO failures (bucket, at) VALUES (?, ?) RETURNING id", name, nowMs);
    return Number(row?.id);
  });
}

export function attemptSucceeded(records: Records, attempt: number): void {
  records.writeLazily(() => records.run("DELETE FROM failures WHERE id = ?", attempt));
}

/** A wrong token in a request. Only some are noted: it cannot be guessed, so there is no wait. */
export function isWorthNoting(records: Records, nowMs: number, address: string): boolean {
  try {
    beginAttempt(records, nowMs, { name: `request:${address}`, isKnown: true });
    return true;
  } catch {
    return false;
  }
}

/** How long until fewer than `max` failures are within the period. */
function waitFor(
  records: Records,
  nowMs: number,
  max: number,
  periodMs: number,
  where: string,
  name: string,
): number {
  const sql = `SELECT at FROM failures WHERE ${where} AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?`;
  const row = records.get(sql, name, nowMs - periodMs, max - 1);
  return row === undefined ? 0 : Number(row.at) + periodMs - nowMs;
}

function limited(waitMs: number): ColloquyError {
  const retryAfter = Math.ceil(waitMs / 1000);
  return new ColloquyError("RATE_LIMITED", `Too many failed logins. Try again in ${retryAfter} s`, {
    details: { retryAfter },
  });
}
