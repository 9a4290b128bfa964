import type { ConversationSummary, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";

const at = (id: string): string => `conversations/${encodeURIComponent(id)}`;

export const trashApi = {
  list: (cursor: string | null, signal?: AbortSignal): Promise<ListOf<ConversationSummary>> =>
    api("GET", "conversations", {
      query: { trash: true, words: true, cursor },
      ...(signal && { signal }),
    }),
  restore: (id: string): Promise<unknown> => api("POST", `${at(id)}/restore`, { body: {} }),
  purge: (id: string): Promise<unknown> => api("POST", `${at(id)}/purge`, { body: {} }),
};

export function titleOf({ title, firstWords, key }: ConversationSummary): string {
  return title ?? firstWords ?? key ?? "Without a title";
}
