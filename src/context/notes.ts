/** Messages that we add, marked as such by brackets or a heading. */
import type { Message, Role } from "../message/types.ts";

export function summaryMessage(text: string, role: Role): Message {
  const heading =
    role === "system" ? "Earlier conversation summary:" : "[Summary of the earlier conversation]";
  return { role, content: `${heading}\n\n${text}` };
}

export function omissionNotice(count: number): Message {
  const messages = count === 1 ? "message" : "messages";
  return { role: "user", content: `[${count} earlier ${messages} of this conversation omitted]` };
}

/** APIs expect a user message first, but some conversations start with a greeting. */
export function openingNotice(): Message {
  return { role: "user", content: "[The conversation starts with the assistant]" };
}
