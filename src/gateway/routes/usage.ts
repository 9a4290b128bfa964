import { invalid } from "../../errors.ts";
import { isInScope } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import { usageView } from "../usage/usage-view.ts";
import { defineRoute, type Route } from "./route.ts";

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;
const DAY = { type: "string", format: "date", maxLength: 10 } as const;

export const USAGE_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/usage",
    permission: "read",
    scoped: "filters",
    summary:
      "Messages, tokens and cost by day, model and channel; the last 30 days unless from and to say otherwise",
    query: { type: "object", properties: { from: DAY, to: DAY } },
    answer: { type: "object" },
    handle: async ({ query, principal }, { usage }: GatewayContext) => {
      const to = dayOf(query.to, "to") ?? new Date().toISOString().slice(0, 10);
      const from =
        dayOf(query.from, "from") ??
        new Date(Date.parse(to) - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
      const all = await usage.all();
      const visible = all.filter(({ info }) => isInScope(principal.scope, info));
      return { json: usageView(visible, from, to) };
    },
  }),
];

function dayOf(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // 30 February is not a day.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) {
    throw invalid(`${field} must be a day such as 2026-01-31`, field);
  }
  return text;
}
