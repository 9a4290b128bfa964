import type { ListOf, MemoryItem, MemorySource } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

const PAGE = 50;

export interface MemoryQuery {
  readonly q: string;
  readonly source: string;
  readonly cursor: string | null;
}

export const memoryApi = {
  /** Everything in the order in which it came, or the best answers to a question. */
  list: ({ q, source, cursor }: MemoryQuery, signal?: AbortSignal): Promise<ListOf<MemoryItem>> => {
    const from = { source: source === "" ? null : source };
    const ask = signal ? { signal } : {};
    if (q === "") return api("GET", "memory", { query: { ...from, cursor, limit: PAGE }, ...ask });
    return api("GET", "memory/search", { query: { ...from, q, limit: PAGE }, ...ask });
  },
  sources: (signal: AbortSignal): Promise<ListOf<MemorySource>> => api("GET", "memory/sources", { signal }),
  add: (text: string): Promise<unknown> => api("POST", "memory", { body: { text } }),
  forget: (id: string): Promise<unknown> => api("DELETE", `memory/${encodeURIComponent(id)}`),
};
