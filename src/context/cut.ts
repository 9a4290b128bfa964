/** Shorten what is sent, never what is stored: the middle is removed, head and tail stay. */
import { isText, isToolResult } from "../message/blocks.ts";
import type { Block, Message, ToolResultBlock } from "../message/types.ts";
import { CHAR_WEIGHT_MAX, headLength, tailLength, weighText } from "./text-weight.ts";
import { MESSAGE_WEIGHT, weighBlock, weighContent, weightFor } from "./tokens.ts";

/** `text`, or its head and tail with a marker between them, at most `weight`. */
export function cutText(text: string, weight: number): string {
  if (weighText(text) <= weight) return text;
  const room = weight - weighText(marker(text.length));
  // No room even for the marker: a few words are better than a marker alone.
  if (room <= 0) return text.slice(0, headLength(text, weight));
  const head = headLength(text, room / 2);
  const tail = tailLength(text, room / 2);
  return text.slice(0, head) + marker(text.length - head - tail) + text.slice(text.length - tail);
}

function marker(chars: number): string {
  return `[… ${chars} characters omitted …]`;
}

/**
 * Content of at most `weight`. Text takes priority; images and documents stay
 * while there is room for them, and are replaced by a note otherwise.
 */
function cutContent(content: string | readonly Block[], weight: number): string | Block[] {
  if (typeof content === "string") return cutText(content, weight);
  const texts = content.filter(isText);
  let room = weight - weighContent(texts);
  if (room < 0) return [{ type: "text", text: cutText(texts.map(({ text }) => text).join("\n\n"), weight) }];
  return content.flatMap((block) => {
    if (isText(block)) return [block];
    const fitting = [block, omitted(block)].find((candidate) => weighBlock(candidate) <= room);
    room -= fitting === undefined ? 0 : weighBlock(fitting);
    return fitting ?? [];
  });
}

function omitted({ type }: Block): Block {
  return { type: "text", text: `[${type === "image" || type === "document" ? type : "content"} omitted]` };
}

/** The message cut to `tokens`, which must leave room for a few words. */
export function cutMessage(message: Message, tokens: number, factor: number): Message {
  return { ...message, content: cutContent(message.content, weightFor(tokens, factor) - MESSAGE_WEIGHT) };
}

/** The message with every tool result cut to `weight`; the same object when none exceeds it. */
export function cutToolResults(message: Message, weight: number): Message {
  const { content } = message;
  if (typeof content === "string") return message;
  if (!content.some((block) => isToolResult(block) && isHeavier(block.content, weight))) return message;
  return { ...message, content: content.map((block) => cutResult(block, weight)) };
}

function cutResult(block: Block, weight: number): Block {
  if (!isToolResult(block) || !isHeavier(block.content, weight)) return block;
  return { ...block, content: cutContent(block.content as string | readonly Block[], weight) };
}

/** The length alone settles it for most results, so that they are not weighed. */
function isHeavier(content: ToolResultBlock["content"], weight: number): boolean {
  if (typeof content === "string" && content.length * CHAR_WEIGHT_MAX <= weight) return false;
  return weighContent(content) > weight;
}
