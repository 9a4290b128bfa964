import { textOf } from "../../../message/text.ts";
import type { Message } from "../../../message/types.ts";

const TITLE_CHARS_MAX = 120;
/** Some tools put the time before what a person wrote. */
const DATE_PREFIX = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]]*\]\s*/;

/** A title that the store takes: one line, not too long. Empty when there is nothing to show. */
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

/** What a conversation is called when nobody has named it: the first words of the person. */
export function derivedTitle(message: Message): string | undefined {
  if (message.role !== "user" || message.extra !== undefined) return undefined;
  const title = titleOf(textOf(message));
  return title === "" || title.startsWith("<") ? undefined : title;
}
