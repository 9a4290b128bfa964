import type { Chunk, FoundChunk } from "../../memory/index.ts";
import { defined } from "../../util/json.ts";
import type { MemoryItem, MemorySource } from "../wire/rest.ts";
import { defineRoute, type Route } from "./route.ts";
import { CURSOR, LIMIT, listOf, NAME, objectOf } from "./schemas.ts";

const PATH = "/api/v1/memory";

/** The memory belongs to the owner: a token that is limited to conversations has none. */
export const MEMORY_ROUTES: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: PATH,
    permission: "read",
    summary: "What is in memory, in the order in which it came",
    query: { type: "object", properties: { source: NAME, limit: LIMIT, cursor: CURSOR } },
    answer: listOf({ type: "object" }),
    handle: async ({ query }, { agents }) => {
      const { items, cursor } = (await agents.memory()).list(query);
      return { json: { items: items.map((chunk) => itemOf(chunk)), cursor } };
    },
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/search`,
    permission: "read",
    summary: "Find notes and files by words and meaning",
    query: {
      type: "object",
      properties: {
        q: { type: "string", maxLength: 10_000 },
        mode: { enum: ["keyword", "semantic", "hybrid"] },
        source: NAME,
        limit: { type: "integer", minimum: 1, maximum: 100 },
      },
      required: ["q"],
    },
    answer: listOf({ type: "object" }),
    handle: async ({ query: { q, ...query }, signal }, { agents }) => {
      const { chunks, mode, notice } = await (await agents.memory()).search(q, { ...query, signal });
      return { json: { items: chunks.map((chunk) => itemOf(chunk)), cursor: null, mode, notice } };
    },
  }),
  defineRoute({
    method: "GET",
    path: `${PATH}/sources`,
    permission: "read",
    summary: "What memory comes from, the largest first",
    answer: listOf(
      objectOf({ source: { type: "string" }, kind: { type: "string" }, chunks: { type: "integer" } }),
    ),
    handle: async (_, { agents }) => ({
      json: { items: (await agents.memory()).sources() satisfies readonly MemorySource[], cursor: null },
    }),
  }),
  defineRoute({
    method: "POST",
    path: PATH,
    permission: "write",
    summary: "Remember a note; one of the same source is replaced",
    body: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 1_000_000 },
        source: NAME,
        importance: { type: "number", minimum: 0, maximum: 1 },
      },
      required: ["text"],
    },
    status: 201,
    answer: listOf({ type: "object" }),
    handle: async ({ body: { text, ...options } }, { agents }) => {
      const chunks = await (await agents.memory()).add(text, defined(options));
      return { json: { items: chunks.map((chunk) => itemOf(chunk)), cursor: null } };
    },
  }),
  defineRoute({
    method: "DELETE",
    path: `${PATH}/{id}`,
    permission: "admin",
    summary: "Permanently forget a chunk by its id, or a source by its name",
    answer: { type: "object" },
    handle: async ({ params: { id = "" } }, { agents }) => ({
      json: await (await agents.memory()).forget(id),
    }),
  }),
];

function itemOf(chunk: Chunk | FoundChunk): MemoryItem {
  const { id, source, kind, lines, text, at } = chunk;
  return {
    id,
    source,
    text,
    createdAt: at,
    lines: kind === "file" ? [lines.first, lines.last] : null,
    score: "score" in chunk ? chunk.score : null,
  };
}
