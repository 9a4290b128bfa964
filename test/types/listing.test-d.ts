/** What the types promise of lists: awaited they are a page, iterated their items. */
import type {
  Conversation,
  Entry,
  ListedConversation,
  Listing,
  MessageEntry,
  Page,
  Store,
} from "../../src/index.ts";
import type { Equal, True } from "./equal.ts";

export async function iterated(store: Store, chat: Conversation): Promise<string[]> {
  const found: string[] = [];
  for await (const info of store.list({ limit: 10 })) found.push(info.id);
  for await (const { message } of chat.messages()) found.push(message.role);
  for await (const entry of chat.entries({ all: true })) found.push(entry.id);
  return found;
}

export type Checks = [
  True<Equal<ReturnType<Store["list"]>, Listing<ListedConversation>>>,
  True<Equal<ReturnType<Conversation["messages"]>, Listing<MessageEntry>>>,
  True<Equal<ReturnType<Conversation["entries"]>, Listing<Entry>>>,
  True<Equal<Awaited<Listing<Entry>>, Page<Entry>>>,
  True<Equal<Page<Entry>["cursor"], string | null>>,
];
