/** Text as the words that are indexed, and questions as queries for them. */

const WORDS_MAX = 40;
/** Scripts without spaces: every character is a word, and a phrase of them is a sequence. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const HUMP = /(?<=\p{Ll}|\p{N})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text, separated by spaces: the parts of `camelCase` names as well as the whole. */
export function indexedWords(text: string): string {
  const words: string[] = [];
  for (const [word] of text.normalize("NFKC").replaceAll(UNSPACED, " $& ").matchAll(WORD)) {
    words.push(word);
    const parts = word.split(HUMP);
    if (parts.length > 1) words.push(...parts);
  }
  return words.join(" ");
}

/** A query of FTS5 that any of the words matches, or `undefined` when there are none. Never a syntax error. */
export function wordQuery(text: string): string | undefined {
  const words = new Set(indexedWords(text).toLowerCase().split(" ").filter(Boolean));
  if (words.size === 0) return undefined;
  return [...words]
    .slice(0, WORDS_MAX)
    .map((word) => `"${word}"`)
    .join(" OR ");
}
