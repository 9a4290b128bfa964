/** How an error of a provider is treated. */
import { ColloquyError } from "../../errors.ts";
import type { EmbedOptions } from "./provider.ts";

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ColloquyError)) return false;
  return error.code === "NETWORK_ERROR" || error.details?.isPassing === true;
}

/** Whether the provider is broken: not if it is busy, or if the caller sent a wrong text or changed their mind. */
export function isBreakdown(error: unknown, options: EmbedOptions | undefined): boolean {
  if (options?.signal?.aborted) return false;
  return !(error instanceof ColloquyError && ["VALIDATION_ERROR", "RATE_LIMITED"].includes(error.code));
}

/** How long the provider asked to be left alone. */
export function retryAfterOf(error: unknown): number | undefined {
  const ms = error instanceof ColloquyError ? error.details?.retryAfterMs : undefined;
  return typeof ms === "number" ? ms : undefined;
}

const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000;

/** The milliseconds of a `Retry-After` header, which has seconds or a date. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (text === "") return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  // A longer pause is a mistake of a clock, and would switch the provider off for good.
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}
