/** What can be measured, and how it is written. */
import type { UsageRow } from "../../../../src/gateway/wire/rest.ts";
import { exactCount, money, shortCount } from "../../ui/values/count.tsx";

export interface Measure {
  readonly label: string;
  of(row: UsageRow): number | null;
  short(value: number): string;
  exact(value: number): string;
}

const count = { short: shortCount, exact: exactCount };

export const MEASURES = {
  messages: { label: "Messages", of: (row) => row.messages, ...count },
  input: { label: "Tokens read", of: inputTokens, ...count },
  output: { label: "Tokens written", of: (row) => row.outputTokens, ...count },
  cost: { label: "Cost", of: (row) => row.cost, short: money, exact: money },
} as const satisfies Readonly<Record<string, Measure>>;

export type MeasureName = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** Providers count what came from a cache separately. */
function inputTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: UsageRow): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}
