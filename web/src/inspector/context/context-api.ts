/** What the context panel asks of the gateway. */
import type { CompactionView, ContextView, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

const at = (id: string, rest: string): string => `conversations/${encodeURIComponent(id)}/${rest}`;

export const contextApi = {
  read: (id: string, signal: AbortSignal): Promise<ContextView> => api("GET", at(id, "context"), { signal }),
  compactions: (id: string, signal: AbortSignal): Promise<ListOf<CompactionView>> =>
    api("GET", at(id, "compactions"), { signal }),
  compact: (id: string): Promise<unknown> => api("POST", at(id, "compactions"), { body: {} }),
  undo: (id: string, compaction: string): Promise<unknown> =>
    api("POST", at(id, `compactions/${encodeURIComponent(compaction)}/undo`)),
};
