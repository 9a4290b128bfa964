/**
 * The query language of search: words, `"phrases"`, prefix*, -exclusion, OR, and filters as `name:value`.
 * Whatever is malformed is searched as plain words, so there are no errors.
 */
import { isStopWord, languageOf } from "./index-words.ts";
import { LANGUAGES } from "./languages.ts";
import { stem } from "./stem.ts";
import { visitWords, type WordKind } from "./words.ts";

export interface Query {
  /** What is searched. A message that has more of them is a better hit. */
  readonly terms: readonly Term[];
  readonly excluded: readonly Term[];
  readonly filters: QueryFilters;
}

export interface QueryFilters {
  readonly role?: string;
  readonly channel?: string;
  readonly key?: string;
  readonly model?: string;
  readonly tool?: string;
  readonly branch?: string;
  /** At this time or later, in ISO 8601 … */
  readonly after?: string;
  /** … and before this time. */
  readonly before?: string;
  readonly in?: "title" | "text" | "tool" | "thinking" | "output";
  readonly is?: "code";
}

/** A word, the beginning of one, or a phrase: what an index has for it, and how it is found in a text. */
export interface Term {
  /** As it was typed. */
  readonly text: string;
  readonly kind: "word" | "prefix" | "phrase";
  /** Sequences of indexed words; any of them is a match. A sequence of one is a word. */
  readonly sequences: readonly (readonly string[])[];
  /** The folded words, to find it in a text. */
  readonly words: readonly string[];
  /** A phrase in quotes: a message without it is not a hit. */
  readonly isRequired: boolean;
  /** How much it counts: the parts of an identifier count less than the identifier. */
  readonly weight: number;
  /** Terms with the same number are alternatives of each other (OR). */
  readonly group: number;
}

const QUERY_CHARS_MAX = 2000;
const TERMS_MAX = 32;
const PREFIX_CHARS_MIN = 2;

const PIECES = /(-?)(?:"([^"]*)"|“([^”]*)”|(\S+))/gu;
const FILTER = /^(role|channel|key|model|tool|before|after|branch|in|is):(.+)$/i;

/** Never throws. `languages` are those of the texts that are searched, as places in `LANGUAGES`. */
export function parseQuery(text: string, languages: readonly number[] = [...LANGUAGES.keys()]): Query {
  const terms: Term[] = [];
  const excluded: Term[] = [];
  const filters: Record<string, string> = {};
  let group = 0;
  let isAlternative = false;
  const add = (found: Omit<Term, "group">): void => {
    if (found.sequences.length === 0 || terms.length >= TERMS_MAX) return;
    if (!isAlternative) group++;
    isAlternative = false;
    terms.push({ ...found, group });
  };
  for (const [, minus, straight, curly, bare] of text.slice(0, QUERY_CHARS_MAX).matchAll(PIECES)) {
    const quoted = straight ?? curly;
    const word = (bare ?? "").replaceAll('"', " ").trim();
    if (minus === "-") {
      const phrase = phraseTerm(wordsIn(quoted ?? word), quoted ?? word, true, languages);
      if (phrase.sequences.length > 0) excluded.push({ ...phrase, group: 0 });
    } else if (quoted !== undefined) add(phraseTerm(wordsIn(quoted), quoted, true, languages));
    else if (word === "OR" && terms.length > 0) isAlternative = true;
    else if (!takeFilter(word, filters)) for (const term of termsOf(word, languages)) add(term);
  }
  return { terms: withoutStopWords(terms), excluded: excluded.slice(0, TERMS_MAX), filters };
}

/** Stop words are dropped, unless the query has nothing else. */
function withoutStopWords(terms: readonly Term[]): Term[] {
  const language = languageOf(terms.flatMap(({ words }) => words));
  const kept = terms.filter(
    ({ kind, words }) => kind !== "word" || words.length > 1 || !isStopWord(words[0] as string, language),
  );
  return kept.length === 0 ? [...terms] : kept;
}

const VALUES: Readonly<Record<string, RegExp>> = {
  role: /^(?:user|assistant|system)$/i,
  in: /^(?:title|text|tool|thinking|output)$/i,
  is: /^code$/i,
};

function takeFilter(word: string, filters: Record<string, string>): boolean {
  const [, name, value] = FILTER.exec(word) ?? [];
  if (name === undefined || value === undefined) return false;
  const filter = name.toLowerCase();
  if (VALUES[filter]?.test(value) === false) return false;
  if (filter === "after" || filter === "before") {
    const time = dateOf(value);
    if (time === undefined) return false;
    filters[filter] = time;
  } else filters[filter] = filter in VALUES ? value.toLowerCase() : value;
  return true;
}

const DATE = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/;

/** The beginning of a year, month or day, or a time, in ISO 8601. Without a time zone, UTC. */
export function dateOf(text: string): string | undefined {
  const [, year, month = "01", day = "01", time = "T00:00:00Z"] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}${time}`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

interface FoundWord {
  readonly word: string;
  readonly kind: WordKind;
  /** A single character, which is indexed alone only at the end of a run. */
  readonly isSingle: boolean;
}

function wordsIn(text: string): FoundWord[] {
  const found: FoundWord[] = [];
  visitWords(text, (word, start, end, kind) => {
    if (kind !== "whole")
      found.push({ word, kind, isSingle: kind === "pair" && isSingle(text.slice(start, end)) });
  });
  return found;
}

function isSingle(text: string): boolean {
  return [...text].length === 1;
}

const PART_WEIGHT = 0.4;

/** A word of a query may be several words of a text, as `src/store` or a sentence in Chinese are. */
function termsOf(piece: string, languages: readonly number[]): Omit<Term, "group">[] {
  const found = wordsIn(piece);
  const words = found.filter(({ kind }) => kind === "word").map(({ word }) => word);
  const pairs = found.filter(({ kind }) => kind === "pair");
  const terms = pairTerms(pairs);
  if (words.length === 1)
    terms.push(
      piece.endsWith("*") && (words[0] as string).length >= PREFIX_CHARS_MIN
        ? prefixTerm(words[0] as string)
        : wordTerm(words[0] as string, 1, languages),
    );
  if (words.length > 1) {
    terms.push(
      phraseTerm(
        found.filter(({ kind }) => kind === "word"),
        piece,
        false,
        languages,
      ),
    );
    for (const word of words) terms.push(wordTerm(word, PART_WEIGHT, languages));
  }
  return terms;
}

function pairTerms(pairs: readonly FoundWord[]): Omit<Term, "group">[] {
  const whole = pairs.filter((pair) => !pair.isSingle);
  const [only] = pairs;
  if (whole.length === 0 && only !== undefined) return [prefixTerm(only.word)];
  return whole.map(({ word }) => ({
    ...{ text: word, kind: "word", sequences: [[word]], words: [word], isRequired: false, weight: 1 },
  }));
}

function wordTerm(word: string, weight: number, languages: readonly number[]): Omit<Term, "group"> {
  const forms = new Set([...languages.map((language) => stem(word, language)), word]);
  const sequences = [...forms].map((form) => [form]);
  return { text: word, kind: "word", sequences, words: [word], isRequired: false, weight };
}

function prefixTerm(word: string): Omit<Term, "group"> {
  return {
    text: `${word}*`,
    kind: "prefix",
    sequences: [[word]],
    words: [word],
    isRequired: false,
    weight: 1,
  };
}

/** What a text of any language would have been indexed as. */
function phraseTerm(
  found: readonly FoundWord[],
  text: string,
  isRequired: boolean,
  languages: readonly number[],
): Omit<Term, "group"> {
  const whole = found.filter((word) => !word.isSingle || found.length === 1);
  const distinct = new Map<string, string[]>();
  for (const language of languages) {
    const sequence = whole
      .filter(({ word, kind }) => kind === "pair" || !isStopWord(word, language))
      .map(({ word, kind }) => (kind === "pair" ? word : stem(word, language)));
    if (sequence.length > 0) distinct.set(sequence.join(" "), sequence);
  }
  const words = found.map(({ word }) => word);
  return { text, kind: "phrase", sequences: [...distinct.values()], words, isRequired, weight: 1 };
}
