const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000;

/** The milliseconds of a `Retry-After` header, which has seconds or a date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  // A longer pause is a mistake of a clock, and would switch the provider off for good.
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
