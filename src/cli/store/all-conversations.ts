import type { ConversationInfo } from "../../engine/index.ts";
import type { Store } from "../../store/store.ts";

const PAGE = 1000;

/** Every conversation, or everything in the trash, a page at a time. */
export async function* allConversations(store: Store, trash: boolean): AsyncGenerator<ConversationInfo> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ trash, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.items;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}
