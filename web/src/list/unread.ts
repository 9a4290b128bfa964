/** Which conversations have messages that were not seen yet, and the first words of them. */
import type { ConversationDetails, ConversationSummary, ListOf } from "../../../src/gateway/wire/rest.ts";
import type { Entry } from "../../../src/message/types.ts";
import { api } from "../api/api.ts";
import { conversationPath } from "../api/paths.ts";
import { entryWords } from "../inspector/compare/entry-words.ts";
import { Cell } from "../state/cell.ts";
import { readStored, writeStored } from "../state/stored.ts";
import { useLoad } from "../state/use-load.ts";
import { plainWords } from "./plain-words.ts";

/** How far a conversation was read: the time of its last message, and its last entry. */
interface Seen {
  readonly at: string;
  readonly head: string | null;
}

/** The oldest are forgotten. */
const KEPT = 500;
const seen = new Cell<Readonly<Record<string, Seen>>>(stored());

export function markSeen({ id, lastMessageAt: at, head }: ConversationDetails): void {
  if (at === null || (seen.value[id]?.at ?? "") >= at) return;
  const rest = Object.entries(seen.value).filter(([other]) => other !== id);
  seen.set(Object.fromEntries([...rest.slice(1 - KEPT), [id, { at, head }]]));
  writeStored("seen", JSON.stringify(seen.value));
}

/** Only what was opened once can become unread: an import is not news. */
export function isUnread({ id, lastMessageAt }: ConversationSummary): boolean {
  const at = seen.value[id]?.at;
  return at !== undefined && lastMessageAt !== null && lastMessageAt > at;
}

/** The first words after those that were seen. Until they are known, and in all other rows, the last words. */
export function useWords(item: ConversationSummary): string {
  const { id } = item;
  const head = isUnread(item) ? seen.value[id]?.head : undefined;
  const first = useLoad(head ? `${id} ${head}` : null, async (signal) => {
    const query = { after: head, limit: 1, blobs: "references" };
    const { items } = await api<ListOf<Entry>>("GET", conversationPath(id, "messages"), { query, signal });
    return items[0] && entryWords(items[0])?.parts[0]?.text;
  });
  return plainWords(first.value ?? item.lastWords ?? "").trim();
}

function stored(): Readonly<Record<string, Seen>> {
  try {
    const value: unknown = JSON.parse(readStored("seen") ?? "{}");
    return typeof value === "object" && value !== null ? (value as Record<string, Seen>) : {};
  } catch {
    return {};
  }
}
