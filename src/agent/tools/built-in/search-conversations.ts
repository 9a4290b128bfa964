import type { SearchOptions } from "../../../store/search/search-query.ts";
import type { Store } from "../../../store/store.ts";
import { defined } from "../../../util/json.ts";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolCall } from "../tool.ts";

/** Where a run may search. The model cannot leave it: these filters win over those of a query. */
export type SearchScope = (call: ToolCall) => Pick<SearchOptions, "channel" | "keyPrefix" | "conversation">;

export function searchConversations(store: Store, scope: SearchScope = () => ({})): Tool {
  return defineTool({
    name: "search_conversations",
    description:
      "Search stored conversations by words. Returns passages, newest or best first. " +
      'A query can have "phrases", prefix*, -exclusions, OR, and filters: role:user, before:2026-01, after:2025-12.',
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 1000 },
        limit: { type: "integer", minimum: 1, maximum: 30, description: "Default: 10" },
        order: { enum: ["best", "newest"], description: "Default: best" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    mayRepeat: true,
    run: async ({ query, limit = 10, order = "best" }, call) => {
      const { hits, indexed } = await store.search(query, { limit, order, ...scope(call) });
      return {
        hits: hits.map(({ conversation, key, title, role, at, snippet, entry }) => ({
          at,
          role,
          text: snippet,
          ...defined({ key: key ?? undefined, title: title ?? undefined }),
          conversation,
          entry,
        })),
        ...(indexed ? {} : { note: "The index is being built: search again later for more" }),
      };
    },
  });
}
