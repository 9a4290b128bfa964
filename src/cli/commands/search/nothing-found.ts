import { isStopWord, languageOf } from "../../../text/index-words.ts";
import { parseQuery } from "../../../text/query.ts";
import type { Call } from "../../command.ts";
import { FILTERS } from "./query.ts";

/** That nothing was found, and the most likely reason. */
export function nothingFound({ values }: Call, text: string): string {
  const { terms, filters, excluded } = parseQuery(text);
  if (terms.length === 0) return "Nothing found: the query has no word to search for.";
  const words = terms.flatMap((term) => term.words);
  const language = languageOf(words);
  if (terms.every(({ kind, words: [word = ""] }) => kind === "word" && isStopWord(word, language))) {
    return `Nothing found: words as common as "${words[0]}" are not indexed. Add a rarer word.`;
  }
  const given = [
    ...FILTERS.filter((name) => values.has(name)).map((name) => `--${name}`),
    ...Object.keys(filters).map((name) => `${name}:`),
  ];
  if (given.length > 0) return `Nothing found. Try it without ${given.join(", ")}.`;
  if (terms.some(({ isRequired }) => isRequired)) return "Nothing found. Try it without the quotes.";
  if (excluded.length > 0) return "Nothing found. Try it without the excluded words.";
  return "Nothing found: no message or title has any of these words, in this or a similar spelling.";
}
