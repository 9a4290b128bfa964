/** What the context panel asks of the gateway. */
import type { ContextView, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

export interface Compaction {
  readonly id: string;
  readonly undone: boolean;
}

const at = (id: string, rest: string): string => `conversations/${encodeURIComponent(id)}/${rest}`;

export const contextApi = {
  read: (id: string, signal: AbortSignal): Promise<ContextView> => api("GET", at(id, "context"), { signal }),
  compactions: (id: string, signal: AbortSignal): Promise<ListOf<Compaction>> =>
    api("GET", at(id, "compactions"), { signal }),
  compact: (id: string): Promise<{ readonly entry: object | null }> =>
    api("POST", at(id, "compactions"), { body: {} }),
  undo: (id: string, compaction: string): Promise<unknown> =>
    api("DELETE", at(id, `compactions/${encodeURIComponent(compaction)}`)),
};
