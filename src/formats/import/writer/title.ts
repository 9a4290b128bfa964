import { firstWordsOf } from "../../../message/title.ts";
import type { Message } from "../../../message/types.ts";
import { sha256Hex } from "../../../util/sha256.ts";

/** The title of an unnamed conversation: the first words of the user. */
export function derivedTitle(message: Message): string | undefined {
  return message.extra === undefined ? firstWordsOf(message) : undefined;
}

/** To recognise a title that an import gave, without keeping the words. */
export function titleMark(conversation: string, title: string | null): string | null {
  return title === null ? null : sha256Hex(`${conversation}\n${title}`);
}
