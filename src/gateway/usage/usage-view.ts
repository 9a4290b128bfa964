/** Sums of what was used, as clients see them. */
import type { UsageRow, UsageSums, UsageView } from "../wire/rest.ts";
import type { CountedRow } from "./usage-file.ts";
import type { ConversationRows } from "./usage-index.ts";

const NONE: UsageRow = {
  messages: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: null,
};

export function sumsOf(rows: readonly CountedRow[]): UsageSums {
  const { messages: _, ...sums } = rows.reduce<UsageRow>(add, NONE);
  return sums;
}

/** `from` and `to` are days, both included. */
export function usageView(conversations: readonly ConversationRows[], from: string, to: string): UsageView {
  const days = new Map<string, UsageRow>();
  const models = new Map<string, UsageRow>();
  const channels = new Map<string, UsageRow>();
  let total = NONE;
  for (const { info, rows } of conversations) {
    for (const row of rows) {
      if (row.day < from || row.day > to) continue;
      total = add(total, row);
      put(days, row.day, row);
      if (row.model !== "") put(models, row.model, row);
      put(channels, info.channel ?? "", row);
    }
  }
  return {
    from,
    to,
    total,
    days: [...days].sort().map(([day, row]) => ({ day, ...row })),
    models: mostFirst(models).map(([model, row]) => ({ model, ...row })),
    channels: mostFirst(channels).map(([channel, row]) => ({ channel, ...row })),
  };
}

function put(rows: Map<string, UsageRow>, name: string, row: UsageRow): void {
  rows.set(name, add(rows.get(name) ?? NONE, row));
}

function add(sum: UsageRow, row: UsageRow): UsageRow {
  const cost = sum.cost === null && row.cost === null ? null : (sum.cost ?? 0) + (row.cost ?? 0);
  return {
    messages: sum.messages + row.messages,
    inputTokens: sum.inputTokens + row.inputTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
    cacheReadTokens: sum.cacheReadTokens + row.cacheReadTokens,
    cacheWriteTokens: sum.cacheWriteTokens + row.cacheWriteTokens,
    cost,
  };
}

function mostFirst(rows: ReadonlyMap<string, UsageRow>): [string, UsageRow][] {
  return [...rows].sort(([a, one], [b, other]) => other.messages - one.messages || (a < b ? -1 : 1));
}
