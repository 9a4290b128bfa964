/** The first words of the user, to show where a conversation has no title. Derived, never stored. */
import type { ConversationInfo } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { firstWordsOf } from "../../message/title.ts";
import type { StoredEntry } from "../../message/types.ts";
import type { StoreAccess } from "../access.ts";
import { readEntries } from "./entries.ts";

/** The user speaks first, or right after a system message. */
const ENTRIES_READ = 4;
const BYTES_READ = 256 * 1024;

/** `null` if the conversation has a title, or does not begin with words of the user. */
export async function firstWords(store: StoreAccess, info: ConversationInfo): Promise<string | null> {
  const isTitled = info.title !== null && info.title.trim() !== "";
  if (isTitled || info.messageCount === 0) return null;
  try {
    for (const entry of await firstMessages(store, info)) {
      const words = await wordsOf(store, entry);
      if (words !== undefined) return words;
    }
  } catch (error) {
    // The list of a damaged store must still show the conversation.
    if (!(error instanceof ColloquyError)) throw error;
  }
  return null;
}

/** Of the whole log: following the checked-out branch would read its tree. */
async function firstMessages(store: StoreAccess, info: ConversationInfo): Promise<StoredEntry[]> {
  const { entries } = await store.ask((engine) =>
    engine.page({
      conversation: info.id,
      direction: "forward",
      from: null,
      limit: ENTRIES_READ,
      bytesMax: BYTES_READ,
      kind: "message",
      branch: null,
      ...(info.deletedAt === null ? {} : { asStored: true }),
    }),
  );
  return entries;
}

async function wordsOf(store: StoreAccess, entry: StoredEntry): Promise<string | undefined> {
  if (entry.message?.role !== "user") return undefined;
  const [{ message } = {}] = await readEntries(store, [entry]);
  return message === undefined ? undefined : firstWordsOf(message);
}
