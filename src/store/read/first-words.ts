/** The first words of the user, to show where a conversation has no title. Derived, never stored. */
import type { ConversationInfo } from "../../engine/index.ts";
import { firstWordsOf } from "../../message/title.ts";
import type { StoredEntry } from "../../message/types.ts";
import type { StoreAccess } from "../access.ts";
import { readEntries } from "./entries.ts";

/** By id, for the conversations that have no title and begin with words of the user. */
export async function firstWords(
  store: StoreAccess,
  infos: readonly ConversationInfo[],
): Promise<ReadonlyMap<string, string>> {
  const untitled = infos.filter(({ title, messageCount }) => messageCount > 0 && !title?.trim());
  const found = new Map<string, string>();
  if (untitled.length === 0) return found;
  const openings = await store.ask((engine) => engine.openings(untitled.map(({ id }) => id)));
  for (const [index, { id }] of untitled.entries()) {
    const words = await wordsIn(store, openings[index] ?? []);
    if (words !== undefined) found.set(id, words);
  }
  return found;
}

async function wordsIn(store: StoreAccess, entries: readonly StoredEntry[]): Promise<string | undefined> {
  const said = entries.filter(({ message }) => message?.role === "user");
  for (const { message } of await readEntries(store, said)) {
    const words = message === undefined ? undefined : firstWordsOf(message);
    if (words !== undefined) return words;
  }
  return undefined;
}
