/** Titles of conversations: what the store accepts, and what can be derived from a message. */
import { textOf } from "./text.ts";
import type { Message } from "./types.ts";

export const TITLE_CHARS_MAX = 120;
/** Enough for the first line of any message; the rest of a long one is not cleaned. */
const START_CHARS = 4000;
/** Some tools put the time before the words of the user. */
const DATE_PREFIX = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]]*\]\s*/;

/** Whether a text has only spaces and characters without a shape, such as a zero-width space. */
export function isInvisible(text: string): boolean {
  return /^[\s\p{Cf}]*$/u.test(text);
}

/** A title that the store accepts: one line of limited length. Empty when there is nothing to show. */
export function titleFrom(text: string): string {
  const line =
    text
      .slice(0, START_CHARS)
      .replace(DATE_PREFIX, "")
      .split(/[\n\r\u2028\u2029]/)
      .find((part) => !isInvisible(part)) ?? "";
  const clean = line
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  if (isInvisible(clean)) return "";
  const characters = [...clean];
  return characters.length <= TITLE_CHARS_MAX
    ? clean
    : `${characters
        .slice(0, TITLE_CHARS_MAX - 1)
        .join("")
        .trimEnd()}…`;
}

/** The first words of a user message. Tags are context that a tool has added, not words of the user. */
export function firstWordsOf(message: Pick<Message, "role" | "content">): string | undefined {
  if (message.role !== "user") return undefined;
  const title = titleFrom(textOf(message));
  return title === "" || title.startsWith("<") ? undefined : title;
}
