import type { Change, ConversationInfo, EntryPage, FeedPlace } from "../engine/index.ts";
import type { StoredEntry } from "../message/types.ts";

/** What an index reads from its store. */
export interface SearchSource {
  /** See `Engine.changes`. */
  changes(after: FeedPlace | null, limit: number): Promise<{ changes: Change[]; place: FeedPlace }>;
  /** The conversation, even from the trash. */
  info(id: string): Promise<ConversationInfo | undefined>;
  /** Every conversation that is not in the trash, by page. */
  conversations(): AsyncIterable<readonly ConversationInfo[]>;
  /** Entries of the whole log after `seq`, also of a conversation in the trash. */
  entriesAfter(conversation: string, seq: number): Promise<Pick<EntryPage, "entries" | "more">>;
  /** With the text of large tool results in place, as far as it is indexed. */
  fill(entry: StoredEntry): Promise<StoredEntry>;
}
