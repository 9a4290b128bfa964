import type { ListOf, MemoryItem } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export interface MemorySource {
  readonly source: string;
  readonly items: number;
}

export interface MemoryQuery {
  readonly q: string;
  readonly source: string;
  readonly cursor: string | null;
}

export const memoryApi = {
  list: ({ q, source, cursor }: MemoryQuery, signal?: AbortSignal): Promise<ListOf<MemoryItem>> =>
    api("GET", "memory", {
      query: { q: q === "" ? null : q, source: source === "" ? null : source, cursor },
      ...(signal && { signal }),
    }),
  sources: (signal: AbortSignal): Promise<ListOf<MemorySource>> => api("GET", "memory/sources", { signal }),
  add: (text: string): Promise<unknown> => api("POST", "memory", { body: { text } }),
  forget: (id: string): Promise<unknown> => api("DELETE", `memory/${encodeURIComponent(id)}`),
};
