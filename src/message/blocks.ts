/** Telling blocks apart. Blocks come from files and other programs, so only `type` can be relied on. */

import { isPlainObject } from "../util/json.ts";
import type { Block, KnownBlock, Message, TextBlock, ToolResultBlock, ToolUseBlock } from "./types.ts";
import { BLOCK_CHECKS } from "./validate.ts";

/** The content of a message as blocks; a string is one text block. */
export function blocksOf({ content }: Pick<Message, "content">): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Whether a block has a known type and the properties of that type, so that `switch (block.type)` narrows it. */
export function isKnownBlock(block: Block): block is KnownBlock {
  if (!isPlainObject(block)) return false;
  return BLOCK_CHECKS.get(block.type)?.every(([name, accepts]) => accepts(block[name])) === true;
}

export function isText(block: Block): block is TextBlock {
  return block.type === "text" && typeof block.text === "string";
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
