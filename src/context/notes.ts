/** The few messages that are ours. They say so, in brackets or by a heading. */
import type { Message, Role } from "../message/types.ts";

export function summaryMessage(text: string, role: Role): Message {
  const heading =
    role === "system" ? "Earlier conversation summary:" : "[Summary of the earlier conversation]";
  return { role, content: `${heading}\n\n${text}` };
}

export function leftOutNotice(count: number): Message {
  const messages = count === 1 ? "message" : "messages";
  return { role: "user", content: `[${count} earlier ${messages} of this conversation left out]` };
}

/** APIs want a user's message first; some conversations begin with a greeting. */
export function openingNotice(): Message {
  return { role: "user", content: "[The conversation begins with the assistant]" };
}
