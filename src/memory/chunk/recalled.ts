import { checkString } from "../../util/checked-arguments.ts";

/**
 * Marks around text that memory has returned.
 *
 * An agent puts what it recalls into its prompt, and the prompt into its log.
 * Without a mark, the log would be remembered again, and each round would make
 * the same words more important than they are.
 */
const BEGIN = "<recalled-memory>";
const END = "</recalled-memory>";
/** A mark that is never closed marks the rest. */
const MARKED = /<recalled-memory>[\s\S]*?(?:<\/recalled-memory>|$)/gi;
const ANY_MARK = /<(\/?)recalled-memory>/gi;

/** Text to put into a prompt. A mark inside it is made harmless, so that it cannot end the passage early. */
export function markRecalled(text: string): string {
  checkString(text, "text");
  return `${BEGIN}\n${text.replaceAll(ANY_MARK, "<$1recalled-memory >")}\n${END}`;
}

/** The text without marked passages. Their line breaks stay, so that line numbers are the same. */
export function withoutRecalled(text: string): string {
  checkString(text, "text");
  return text.replaceAll(MARKED, (passage) => passage.replaceAll(/[^\r\n]+/g, ""));
}
