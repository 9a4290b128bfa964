import { isToolBlock } from "../message/blocks.ts";
import type { Message } from "../message/types.ts";

/** A message on its way into a context, with the id of the entry that holds it. */
export interface ContextItem {
  readonly id: string;
  readonly message: Message;
  /** Messages before this one cannot be read. */
  readonly afterHole?: boolean;
}

/** A user message that is more than tool results. */
export function isRealUser({ role, content }: Message): boolean {
  return role === "user" && (typeof content === "string" || !content.every(isToolBlock));
}

/** Position of the last real user message, or -1. */
export function lastUserIndex(items: readonly ContextItem[]): number {
  return items.findLastIndex(({ message }) => isRealUser(message));
}
