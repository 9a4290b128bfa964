/** Messages as readable text. Not yet safe for a terminal. */
import { isText, isToolUse } from "../../message/blocks.ts";
import { textOf } from "../../message/text.ts";
import type { Block, Entry, Message } from "../../message/types.ts";

const SUMMARY_CHARS = 1000;

/** The text, and a placeholder for each block without text. */
export function readableOf(message: Message): string {
  if (typeof message.content === "string") return message.content;
  return message.content.map(blockText).join("\n\n");
}

function blockText(block: Block): string {
  if (isText(block)) return block.text;
  const name = isToolUse(block) ? ` ${block.name}` : "";
  const words = textOf({ content: [block] }, { thinking: true, toolResults: true });
  return words === "" ? `[${block.type}${name}]` : `[${block.type}${name}] ${words}`;
}

/** " (interrupted)": how an answer ended, unless it was completed. */
export function endMark({ endState }: Message): string {
  return endState === "interrupted" || endState === "stopped" ? ` (${endState})` : "";
}

/** The start of an entry's content, for one line of a table. */
export function summaryOf({ message, data }: Entry): string {
  if (message !== undefined) return readableOf(message).slice(0, SUMMARY_CHARS);
  if (data === undefined) return "";
  // The text of a summary, not its JSON.
  const { summary } = { ...(data as { summary?: unknown }) };
  return (typeof summary === "string" ? summary : JSON.stringify(data)).slice(0, SUMMARY_CHARS);
}
