import { firstWordsOf } from "../../message/title.ts";
import type { Conversation } from "../../store/conversation.ts";

/** A conversation may begin with messages that a program wrote. */
const OPENING_MESSAGES = 10;

/** The first words of the user among the first messages, to show instead of a title. */
export async function firstWordsIn(conversation: Conversation): Promise<string | null> {
  const { items } = await conversation.messages({ limit: OPENING_MESSAGES });
  return items.flatMap(({ message }) => firstWordsOf(message) ?? [])[0] ?? null;
}
