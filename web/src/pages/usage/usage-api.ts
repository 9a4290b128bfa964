import type { UsageView } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

const DAY_MS = 86_400_000;

/** Of the last days, today included. */
export function readUsage(days: number, signal: AbortSignal): Promise<UsageView> {
  const from = new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  return api("GET", "usage", { query: { from }, signal });
}
