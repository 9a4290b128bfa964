/** Text as the words that are indexed, and questions as queries for them. */
import { indexWords } from "../../text/index-words.ts";
import { parseQuery, type Term } from "../../text/query.ts";

/** The tokenizer of the index, for text that is split into words already. */
export const TOKENIZER = "ascii tokenchars '.+=:_-'";

/** The words of a text as they are indexed, separated by spaces. */
export function indexedWords(text: string): string {
  return indexWords(text).words.join(" ");
}

/** What has a meaning in the search of conversations. A question to memory is only words. */
const OPERATORS = /["“”:]|(?<=^|\s)-+/g;

/** A query of FTS5 that any of the words matches, or `undefined` when there are none. Never a syntax error. */
export function wordQuery(text: string): string | undefined {
  const { terms } = parseQuery(text.replaceAll(OPERATORS, " "));
  return terms.length === 0 ? undefined : terms.flatMap(matchesOf).join(" OR ");
}

function matchesOf({ kind, sequences }: Term): string[] {
  return sequences.map((words) => `"${words.join(" ").replaceAll('"', "")}"${kind === "prefix" ? "*" : ""}`);
}
