/** The words under which a text is indexed. */
import { ENGLISH, LANGUAGES } from "./languages.ts";
import { stem } from "./stem.ts";
import { visitWords, type WordKind } from "./words.ts";

let masks: Map<string, number> | undefined;

/** For each stop word, a bit for every language that has it. Made when it is first used: most commands search nothing. */
function stopMasks(): ReadonlyMap<string, number> {
  if (masks !== undefined) return masks;
  masks = new Map();
  for (const [language, { stopWords }] of LANGUAGES.entries()) {
    for (const word of stopWords.split(" ")) masks.set(word, (masks.get(word) ?? 0) | (1 << language));
  }
  return masks;
}

export function isStopWord(word: string, language: number): boolean {
  return ((stopMasks().get(word) ?? 0) & (1 << language)) !== 0;
}

const named = (name: string): number => LANGUAGES.findIndex((language) => language.name === name);
const [RUSSIAN, IN_ARABIC, IN_HEBREW] = [named("russian"), named("arabic"), named("hebrew")];

/** A language that is recognised by a single stop word would be a guess. */
const STOP_WORDS_MIN = 2;
/** Enough to recognise a language. */
const SAMPLE_WORDS = 50;
/** No stop word is longer. */
const STOP_CHARS_MAX = 8;

/** The language with the most stop words in a text, as a place in `LANGUAGES`. */
export function languageOf(words: readonly string[]): number {
  const counts = new Uint16Array(LANGUAGES.length);
  const known = stopMasks();
  const sample = Math.min(words.length, SAMPLE_WORDS);
  for (let at = 0; at < sample; at++) {
    const word = words[at] as string;
    let mask = word.length > STOP_CHARS_MAX ? 0 : (known.get(word) ?? 0);
    for (let language = 0; mask !== 0; language++, mask >>>= 1) {
      if (mask & 1) counts[language] = (counts[language] as number) + 1;
    }
  }
  let best = 0;
  for (let language = 1; language < counts.length; language++) {
    if ((counts[language] as number) > (counts[best] as number)) best = language;
  }
  if ((counts[best] as number) >= STOP_WORDS_MIN) return best;
  return scriptLanguage(words[0] ?? "");
}

function scriptLanguage(word: string): number {
  if (/\p{Script=Cyrillic}/u.test(word)) return RUSSIAN as number;
  if (/\p{Script=Arabic}/u.test(word)) return IN_ARABIC as number;
  return /\p{Script=Hebrew}/u.test(word) ? (IN_HEBREW as number) : ENGLISH;
}

/** The stem, or nothing for a stop word. Not remembered: in many texts, finding it again would take longer. */
function formOf(word: string, language: number): string {
  return word.length <= STOP_CHARS_MAX && isStopWord(word, language) ? "" : stem(word, language);
}

/** Before a word that a text repeats. */
export const PROMINENT = "+";
const PROMINENT_MIN = 3;

export interface IndexWords {
  /** Stems in the order of the text, then identifiers as one word, then words that it repeats, after `+`. */
  readonly words: string[];
  /** How many of them are words of the text. */
  readonly length: number;
  /** A place in `LANGUAGES`. */
  readonly language: number;
}

/** The words of a text as they are indexed, without stop words. */
export function indexWords(text: string): IndexWords {
  const found: string[] = [];
  const kinds: WordKind[] = [];
  visitWords(text, (word, _start, _end, kind) => {
    found.push(word);
    kinds.push(kind);
  });
  const language = languageOf(found);
  const words: string[] = [];
  const wholes = new Set<string>();
  const counts = new Map<string, number>();
  for (let at = 0; at < found.length; at++) {
    const word = found[at] as string;
    if (kinds[at] === "whole") wholes.add(word);
    else if (kinds[at] === "pair") words.push(word);
    else {
      const form = formOf(word, language);
      if (form === "") continue;
      words.push(form);
      counts.set(form, (counts.get(form) ?? 0) + 1);
    }
  }
  const length = words.length;
  words.push(...wholes);
  for (const [form, count] of counts) if (count >= PROMINENT_MIN) words.push(PROMINENT + form);
  return { words, length, language };
}
