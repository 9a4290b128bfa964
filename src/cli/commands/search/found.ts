/** The hits of a search by conversation, with what is shown around them. */
import type { MessageEntry } from "../../../message/types.ts";
import type { SearchHit } from "../../../store/index.ts";
import type { Store } from "../../../store/store.ts";
import { firstWordsIn } from "../../store/first-words.ts";

/** A hit, with the messages around it. */
export interface Found {
  readonly hit: SearchHit;
  readonly before: readonly MessageEntry[];
  readonly after: readonly MessageEntry[];
}

export interface FoundConversation {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
  /** Of the user, if there is no title. */
  readonly firstWords: string | null;
  readonly found: readonly Found[];
}

/** In the order of their first hits. */
export async function byConversation(store: Store, found: readonly Found[]): Promise<FoundConversation[]> {
  const groups = Map.groupBy(found, ({ hit }) => hit.conversation);
  return Promise.all(
    [...groups].map(async ([id, own]) => {
      const { key = null, title = null } = own[0]?.hit ?? {};
      const conversation = title?.trim() ? undefined : await store.get(id);
      const firstWords = conversation === undefined ? null : await firstWordsIn(conversation);
      return { id, key, title, firstWords, found: own };
    }),
  );
}

/** N messages before and after it, on its branch. */
export async function withContext(store: Store, hit: SearchHit, count: number): Promise<Found> {
  const conversation = count === 0 ? undefined : await store.get(hit.conversation);
  if (conversation === undefined || hit.entry === null) return { hit, before: [], after: [] };
  const scope = hit.active ? { limit: count } : { limit: count, branch: hit.branch };
  const before = await conversation.messages({ ...scope, before: hit.entry });
  const after = await conversation.messages({ ...scope, after: hit.entry });
  return { hit, before: before.items, after: after.items };
}
