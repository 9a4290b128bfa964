/** Messages that we add, marked as such by brackets or a heading. */
import type { Message, Role } from "../message/types.ts";
import type { ContextItem } from "./item.ts";

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

/** Without it, the model would take what follows for an answer to what came before. */
export function holeNotice(): Message {
  return { role: "user", content: "[Messages of this conversation are damaged and missing here]" };
}

/** For a summariser, which gets no ledger. */
export function withHoleNotices(items: readonly ContextItem[]): Message[] {
  return items.flatMap(({ message, afterHole }) => (afterHole ? [holeNotice(), message] : [message]));
}
