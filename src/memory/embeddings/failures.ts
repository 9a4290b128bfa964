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
