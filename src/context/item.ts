import type { Block, Message, ToolResultBlock, ToolUseBlock } from "../message/types.ts";

/** A message on its way into a context, with the id of the entry that holds it. */
export interface ContextItem {
  readonly id: string;
  readonly message: Message;
}

export function isToolUse(block: Block): block is ToolUseBlock {
  return block.type === "tool_use";
}

export function isToolResult(block: Block): block is ToolResultBlock {
  return block.type === "tool_result";
}

export function isToolBlock(block: Block): boolean {
  return isToolUse(block) || isToolResult(block);
}

/** What a person said: a user message that is more than the results of tools. */
export function isRealUser({ role, content }: Message): boolean {
  return role === "user" && (typeof content === "string" || !content.every(isToolBlock));
}

/** Where the last real user message stands, or -1. */
export function lastUserIndex(items: readonly ContextItem[]): number {
  return items.findLastIndex(({ message }) => isRealUser(message));
}
