/** Titles of conversations: what the store accepts, and what can be derived from a message. */
import { stringOf } from "../util/json.ts";
import { withoutSequences } from "../util/visible-text.ts";
import { textOf } from "./text.ts";
import type { Block, Message } from "./types.ts";

export const TITLE_CHARS_MAX = 120;
/** Enough for the first line of any message; the rest of a long one is not cleaned. */
const START_CHARS = 4000;
/** Some tools put the time before the words of the user. */
const DATE_PREFIX = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d[^\]]*\]\s*/;

const CONTROL = /\p{Cc}+/gu;
/** A title is one line, also on a terminal. */
export const NOT_IN_A_LINE: RegExp = /[\p{Cc}\u2028\u2029]/u;

/** Whether a text has only spaces and characters without a shape, such as a zero-width space. */
export function isInvisible(text: string): boolean {
  return /^[\s\p{Cf}]*$/u.test(text);
}

/** Whether the store accepts it as a title: one line of limited length with something to show. */
function isTitle(text: string): boolean {
  if (text.length > TITLE_CHARS_MAX && [...text].length > TITLE_CHARS_MAX) return false;
  return text.isWellFormed() && !isInvisible(text) && !NOT_IN_A_LINE.test(text);
}

/**
 * The title that another program gave to a conversation, as the store accepts
 * it. `null` if there is nothing to show.
 */
export function titleIn(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return isTitle(value) ? value : titleOf(value) || null;
}

/** The line that begins or ends code in Markdown. */
const FENCE = /^\s*(?:`{3,}|~{3,})[\w+#.-]*\s*$/;

/** The first line with something to show, without control characters, cut to the limit. */
function titleOf(text: string, clear = (line: string): string => line): string {
  const line =
    withoutSequences(text.slice(0, START_CHARS))
      .split(/[\n\r\u2028\u2029]/)
      .find((part) => !FENCE.test(part) && !isInvisible(part.replace(CONTROL, " "))) ?? "";
  const clean = clear(line.toWellFormed().replace(CONTROL, " ").trim());
  const characters = [...clean];
  return characters.length <= TITLE_CHARS_MAX
    ? clean
    : `${characters
        .slice(0, TITLE_CHARS_MAX - 1)
        .join("")
        .trimEnd()}…`;
}

/** Marks of Markdown that say nothing in a title: of headings, quotes, lists, emphasis and code. */
const LINE_MARKS = /^(?:#{1,6}\s+|>\s*|[-*+]\s+)+/;
const PAIRED_MARKS = /(\*\*|`+)(?=\S)(.+?)(?<=\S)\1/g;

function withoutMarks(line: string): string {
  return line.replace(LINE_MARKS, "").replaceAll(PAIRED_MARKS, "$2");
}

/** Codex puts a picture between two texts. */
const PICTURE_TAG = /^\s*<\/?image\b[^<>]*>\s*$/;

function withoutPictureTags(content: Message["content"]): Message["content"] {
  if (typeof content === "string") return content;
  const isPicture = (index: number): boolean => content[index]?.type === "image";
  const isTag = ({ type, text }: Block): boolean => type === "text" && PICTURE_TAG.test(stringOf(text));
  return content.filter((block, index) => !isTag(block) || !(isPicture(index - 1) || isPicture(index + 1)));
}

/** The first words of a user message. Tags are context that a tool has added, not words of the user. */
export function firstWordsOf(message: Pick<Message, "role" | "content">): string | undefined {
  if (message.role !== "user") return undefined;
  const said = textOf({ content: withoutPictureTags(message.content) });
  const title = titleOf(said.slice(0, START_CHARS).replace(DATE_PREFIX, ""), withoutMarks);
  return title === "" || title.startsWith("<") ? undefined : title;
}
