import { firstWordsOf } from "../../../message/title.ts";
import type { Message } from "../../../message/types.ts";

/** A few words for a message in a list, also for one without text. Never empty. */
export function shortWords({ content }: Pick<Message, "content">): string {
  const words = firstWordsOf({ role: "user", content });
  if (words !== undefined && words !== "") return words;
  const blocks = typeof content === "string" ? [] : content;
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [String(block.name)] : []));
  if (called.length > 0) return `Calls ${called.join(", ")}`;
  const kinds = new Set(blocks.map(({ type }) => type));
  if (kinds.has("tool_result")) return "A tool's result";
  if (kinds.has("image")) return "An image";
  if (kinds.has("document")) return "A document";
  return kinds.has("thinking") ? "Thinking" : "No text";
}
