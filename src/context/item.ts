import { isToolBlock } from "../message/blocks.ts";
import type { Message } from "../message/types.ts";

/** A message on its way into a context, with the id of the entry that holds it. */
export interface ContextItem {
  readonly id: string;
  readonly message: Message;
}

/** What a person said: a user message that is more than the results of tools. */
export function isRealUser({ role, content }: Message): boolean {
  return role === "user" && (typeof content === "string" || !content.every(isToolBlock));
}

/** Where the last real user message stands, or -1. */
export function lastUserIndex(items: readonly ContextItem[]): number {
  return items.findLastIndex(({ message }) => isRealUser(message));
}
