import type { ConversationSummary, ListOf } from "../../../../src/gateway/wire/rest.ts";
import { api } from "../../api/api.ts";
import { conversationPath } from "../../api/paths.ts";

export const trashApi = {
  list: (cursor: string | null, signal?: AbortSignal): Promise<ListOf<ConversationSummary>> =>
    api("GET", "conversations", {
      query: { trash: true, words: true, cursor },
      ...(signal && { signal }),
    }),
  restore: (id: string): Promise<unknown> => api("POST", conversationPath(id, "restore"), { body: {} }),
  purge: (id: string): Promise<unknown> => api("POST", conversationPath(id, "purge"), { body: {} }),
};
