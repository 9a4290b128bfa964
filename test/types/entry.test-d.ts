/** What the types promise of entries. `tsc` is the test. */
import type { Conversation, Entry, Message, MessageEntry } from "../../src/index.ts";
import type { Json } from "../../src/util/json.ts";
import type { Equal, True } from "./equal.ts";

/** The kind determines the data of an entry, also beside unknown kinds. */
export function byKind(entry: Entry): string | null {
  switch (entry.kind) {
    case "message":
      return entry.message.role;
    case "compaction":
      return entry.data.firstKept ?? entry.data.summary;
    case "branch_summary":
      return entry.data.branch + entry.data.summary;
    case "label":
      return entry.data.label ?? entry.data.entry;
    case "info":
      return entry.data.type;
    default:
      return String(entry.data satisfies Json) + (entry.kind satisfies string);
  }
}

/** A message can also be told by itself. */
export function byMessage(entry: Entry): MessageEntry | undefined {
  return entry.message === undefined ? undefined : entry;
}

/** Items of `messages` always have a message. */
export async function text(chat: Conversation): Promise<string[]> {
  const { items } = await chat.messages({ last: 5 });
  return items.map((entry) => String(entry.message.content));
}

export type Checks = [
  True<Equal<Awaited<ReturnType<Conversation["messages"]>>["items"], MessageEntry[]>>,
  True<Equal<Awaited<ReturnType<Conversation["entries"]>>["items"], Entry[]>>,
  True<Equal<MessageEntry["message"], Message>>,
];

// @ts-expect-error A message has no data.
export type NoData = MessageEntry["data"]["type"];
