import type { JsonObject } from "../../util/json.ts";
import type { Block, Message } from "../types.ts";

/** A message as most APIs take it. */
export interface PlainMessage {
  readonly role: Message["role"];
  readonly content: string | readonly Block[];
}

/** Messages of `{ role, content }`, without the notes of conversions in blocks. */
export function toPlain(messages: readonly Message[]): PlainMessage[] {
  return messages.map(({ role, content }) => ({ role, content: plainContent(content) }));
}

function plainContent(content: Message["content"]): Message["content"] {
  if (typeof content === "string" || !content.some(isMarked)) return content;
  return content.map((block) => (isMarked(block) ? unmarked(block) : block));
}

function isMarked(block: JsonObject): boolean {
  return block.openai !== undefined || block.flat !== undefined;
}

function unmarked({ openai: _openai, flat: _flat, ...own }: Block): Block {
  return own;
}
