import { checkObject, checkObjects } from "../util/checked-arguments.ts";
import { stringOf } from "../util/json.ts";
import type { Block, Message } from "./types.ts";

export interface TextOptions {
  /** Include the model's thinking. Default: no. */
  readonly thinking?: boolean;
  /** Include tool results. Default: no. */
  readonly toolResults?: boolean;
}

/** The text of a message, with blocks joined by a blank line. */
export function textOf(message: Pick<Message, "content">, options: TextOptions = {}): string {
  checkObject(message, "message");
  checkObject(options, "options");
  if (typeof message.content === "string") return message.content;
  checkObjects(message.content, "content");
  const parts: string[] = [];
  for (const block of message.content) {
    const text = blockText(block, options);
    if (text !== "") parts.push(text);
  }
  return parts.join("\n\n");
}

function blockText(block: Block, options: TextOptions): string {
  switch (block.type) {
    case "text":
      return stringOf(block.text);
    case "thinking":
      return options.thinking ? stringOf(block.thinking) : "";
    case "tool_result": {
      if (!options.toolResults) return "";
      const { content } = block;
      if (Array.isArray(content)) return textOf({ content: content as Block[] }, options);
      return stringOf(content);
    }
    default:
      return "";
  }
}
