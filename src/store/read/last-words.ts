/** The last words of a conversation, in any role. Derived, never stored. */
import type { ConversationInfo } from "../../engine/index.ts";
import { firstWordsOf } from "../../message/title.ts";
import type { StoreAccess } from "../access.ts";

/** By id, for the conversations whose last message has words. Those in the trash have none: they are not read. */
export async function lastWords(
  store: StoreAccess,
  infos: readonly ConversationInfo[],
): Promise<ReadonlyMap<string, string>> {
  const read = infos.filter(({ messageCount, deletedAt }) => messageCount > 0 && deletedAt === null);
  const found = new Map<string, string>();
  if (read.length === 0) return found;
  const endings = await store.ask((engine) => engine.endings(read.map(({ id }) => id)));
  for (const [index, { id }] of read.entries()) {
    const content = endings[index]?.message?.content;
    const words = content === undefined ? undefined : firstWordsOf({ role: "user", content });
    if (words !== undefined) found.set(id, words);
  }
  return found;
}
