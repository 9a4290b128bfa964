import { type ColloquyError, invalid } from "../errors.ts";
import { isToolBlock } from "../message/blocks.ts";
import { isRole } from "../message/rules.ts";
import type { Message } from "../message/types.ts";
import { checkObjects } from "../util/checked-arguments.ts";

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

/** Messages of other programs may have other roles, or calls beside their content. */
export function checkMessages(messages: unknown, field: string): void {
  checkObjects(messages, field);
  for (const { role, content } of messages as readonly Message[]) {
    if (!isRole(role))
      throw notOurs(`the role ${isShort(role) ? `"${role}"` : "of a message"} is unknown`, field);
    if (typeof content === "string") continue;
    if (!Array.isArray(content)) throw notOurs("a content is neither a string nor a list of blocks", field);
    checkObjects(content, field);
  }
}

export function checkItems(items: unknown): void {
  checkObjects(items, "items");
  checkMessages(
    (items as readonly ContextItem[]).map(({ message }) => message),
    "items",
  );
}

function isShort(role: unknown): boolean {
  return typeof role === "string" && /^[a-z_]{1,20}$/.test(role);
}

function notOurs(why: string, field: string): ColloquyError {
  return invalid(
    `${field}: ${why}. Convert them first: fromOpenAI, fromClaude, fromFlat of colloquy/message`,
    field,
  );
}
