/** What the context panel asks of the gateway. */
import type { CompactionView, ContextView, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";
import { conversationPath } from "../../api/paths.ts";

export const contextApi = {
  read: (id: string, signal: AbortSignal): Promise<ContextView> =>
    api("GET", conversationPath(id, "context"), { signal }),
  compactions: (id: string, signal: AbortSignal): Promise<ListOf<CompactionView>> =>
    api("GET", conversationPath(id, "compactions"), { signal }),
  compact: (id: string): Promise<unknown> => api("POST", conversationPath(id, "compactions"), { body: {} }),
  undo: (id: string, compaction: string): Promise<unknown> =>
    api("POST", conversationPath(id, "compactions", compaction, "undo")),
};
