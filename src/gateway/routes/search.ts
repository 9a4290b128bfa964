import type { SearchHit, SearchOptions } from "../../store/index.ts";
import { isInScope } from "../auth/principal.ts";
import type { GatewayContext } from "../context.ts";
import type { Scope } from "../wire/auth.ts";
import type { SearchResult } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
import { CURSOR, listOf, NAME, TIME } from "./schemas.ts";

/** For a scope, so many pages are looked through for one with something in it. */
const PAGES_MAX = 10;

export const SEARCH_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/api/v1/search",
    permission: "read",
    scoped: "filters",
    summary: "Search in messages and titles, best hit first",
    query: {
      type: "object",
      properties: {
        q: { type: "string", maxLength: 10_000 },
        mode: { enum: ["keyword", "semantic", "hybrid"] },
        order: { enum: ["best", "newest"] },
        conversation: NAME,
        channel: NAME,
        keyPrefix: NAME,
        role: { enum: ["user", "assistant", "system"] },
        model: NAME,
        tool: NAME,
        branch: NAME,
        after: TIME,
        before: TIME,
        in: { enum: ["title", "text", "tool", "thinking", "output"] },
        is: { enum: ["code"] },
        limit: { type: "integer", minimum: 1, maximum: 100 },
        cursor: CURSOR,
      },
      required: ["q"],
    },
    answer: listOf({ type: "object" }),
    handle: async ({ query: { q, ...options }, principal }, gateway) => ({
      json: await searchIn(gateway, q, options, principal.scope),
    }),
  }),
];

async function searchIn(
  gateway: GatewayContext,
  text: string,
  options: SearchOptions,
  scope: Scope | null,
): Promise<SearchResult> {
  let page = await gateway.store.search(text, options);
  let items = await hitsInScope(gateway, page.hits, scope);
  for (let read = 1; items.length === 0 && page.cursor !== null && read < PAGES_MAX; read++) {
    page = await gateway.store.search(text, { ...options, cursor: page.cursor });
    items = await hitsInScope(gateway, page.hits, scope);
  }
  return { items, cursor: page.cursor, indexed: page.indexed };
}

async function hitsInScope(
  { store }: GatewayContext,
  hits: readonly SearchHit[],
  scope: Scope | null,
): Promise<readonly SearchHit[]> {
  if (scope === null) return hits;
  const ids = [...new Set(hits.map(({ conversation }) => conversation))];
  const infos = await Promise.all(ids.map((id) => store.info(id)));
  const inside = new Set(ids.filter((_, index) => infos[index] && isInScope(scope, infos[index])));
  return hits.filter(({ conversation }) => inside.has(conversation));
}
