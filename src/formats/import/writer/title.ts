import { textOf } from "../../../message/text.ts";
import type { Message } from "../../../message/types.ts";
import { sha256Hex } from "../../../util/sha256.ts";

const TITLE_CHARS_MAX = 120;
/** Some tools put the time before the words of the user. */
const DATE_PREFIX = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]]*\]\s*/;

/** A title that the store accepts: one line of limited length. Empty when there is nothing to show. */
export function titleOf(text: string): string {
  const line =
    text
      .slice(0, 4000)
      .replace(DATE_PREFIX, "")
      .split("\n")
      .find((part) => part.trim() !== "") ?? "";
  const clean = line
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  const characters = [...clean];
  return characters.length <= TITLE_CHARS_MAX
    ? clean
    : `${characters
        .slice(0, TITLE_CHARS_MAX - 1)
        .join("")
        .trimEnd()}…`;
}

/** The title of an unnamed conversation: the first words of the user. */
export function derivedTitle(message: Message): string | undefined {
  if (message.role !== "user" || message.extra !== undefined) return undefined;
  const title = titleOf(textOf(message));
  return title === "" || title.startsWith("<") ? undefined : title;
}

/** To recognise a title that an import gave, without keeping the words. */
export function titleMark(conversation: string, title: string | null): string | null {
  return title === null ? null : sha256Hex(`${conversation}\n${title}`);
}
