/** Where the terms of a query are in a text, and the part of the text to show. */
import { languageOf } from "./index-words.ts";
import type { Term } from "./query.ts";
import { stem } from "./stem.ts";
import { visitWords } from "./words.ts";

/** A part of a text from `start` to `end`, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

export interface Match {
  readonly term: number;
  readonly span: Span;
  /** The word of the query itself, not another form of it. */
  readonly isExact: boolean;
}

interface Place {
  readonly word: string;
  readonly span: Span;
}

/** Later ones do not change what is shown. */
const MATCHES_MAX = 2000;

/** Every place of every term, in the order of the text. */
export function findTerms(text: string, terms: readonly Term[]): Match[] {
  const places: Place[] = [];
  visitWords(text, (word, start, end) => {
    places.push({ word, span: [start, end] });
  });
  const language = languageOf(places.map(({ word }) => word));
  const stems = new Map<string, number[]>();
  const others: number[] = [];
  for (const [index, { kind, words }] of terms.entries()) {
    const form = stem(words[0] ?? "", language);
    if (kind === "word") stems.set(form, [...(stems.get(form) ?? []), index]);
    else others.push(index);
  }
  const matches: Match[] = [];
  for (let at = 0; at < places.length && matches.length < MATCHES_MAX; at++) {
    const { word, span } = places[at] as Place;
    for (const term of stems.get(stem(word, language)) ?? []) {
      matches.push({ term, span, isExact: terms[term]?.words[0] === word });
    }
    for (const term of others) {
      const found = otherAt(places, at, terms[term] as Term);
      if (found !== undefined) matches.push({ term, span: found, isExact: true });
    }
  }
  return matches;
}

/**
 * Whether a text may have a phrase: much faster than looking for it, and never wrong about a phrase that is there.
 * `undefined` for a phrase that only `findTerms` can find.
 */
export function phraseTest({ kind, words }: Term): ((text: string) => boolean) | undefined {
  if (kind !== "phrase" || words.some((word) => !ASCII.test(word))) return undefined;
  // "don't" is the word "dont", and of "Maria's" only the name is one.
  const spelled = words.map((word) => [...word].map((letter) => letter.replace(/\W/, "\\$&")).join("'?"));
  const pattern = new RegExp(spelled.join("(?:'s)?[^a-z0-9]*"), "i");
  return (text) => !ASCII.test(text) || pattern.test(text);
}

const ASCII = /^\p{ASCII}*$/u;

function otherAt(places: readonly Place[], at: number, { kind, words }: Term): Span | undefined {
  if (kind === "phrase") return phraseAt(places, at, words);
  const { word, span } = places[at] as Place;
  return word.startsWith(words[0] ?? "") ? span : undefined;
}

function phraseAt(places: readonly Place[], at: number, words: readonly string[]): Span | undefined {
  let place = at;
  for (const word of words) {
    // An identifier as one word overlaps its parts.
    while (places[place]?.word !== word && isOverlapping(places, place)) place++;
    if (places[place]?.word !== word) return undefined;
    place++;
  }
  const [start] = (places[at] as Place).span;
  const [, end] = (places[place - 1] as Place).span;
  return [start, end];
}

function isOverlapping(places: readonly Place[], at: number): boolean {
  const [before, here] = [places[at - 1], places[at]];
  return before !== undefined && here !== undefined && here.span[0] < before.span[1];
}

export interface Snippet {
  readonly snippet: string;
  /** In the snippet. */
  readonly highlights: Span[];
}

const SNIPPET_CHARS = 200;
/** What is shown before the first match. */
const LEAD_CHARS = 40;

/** The part of a text with the most different terms, on one line. */
export function snippetOf(text: string, matches: readonly Match[]): Snippet {
  const start = bestStart(text, matches);
  const end = endOfPart(text, Math.min(text.length, start + SNIPPET_CHARS));
  const before = start > 0 ? "…" : "";
  // Each white space becomes one space, so that places stay where they are.
  const shown = text.slice(start, end).replace(/[\s\p{Cc}]/gu, " ");
  const highlights = merged(
    matches.map(({ span }) => span).filter(([from, to]) => from >= start && to <= end),
  );
  return {
    snippet: `${before}${shown}${end < text.length ? "…" : ""}`,
    highlights: highlights.map(([from, to]) => [from - start + before.length, to - start + before.length]),
  };
}

/** Where a part begins that holds the most different terms. */
function bestStart(text: string, matches: readonly Match[]): number {
  let best = 0;
  let bestCount = 0;
  for (let first = 0; first < matches.length; first++) {
    const from = (matches[first] as Match).span[0];
    const terms = new Set<number>();
    for (let at = first; at < matches.length; at++) {
      const { span, term } = matches[at] as Match;
      if (span[1] > from + SNIPPET_CHARS - LEAD_CHARS) break;
      terms.add(term);
    }
    if (terms.size > bestCount) [best, bestCount] = [from, terms.size];
  }
  return startOfPart(text, Math.max(0, best - LEAD_CHARS), best);
}

/** At the beginning of a word, if there is one before the match. */
function startOfPart(text: string, from: number, match: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, match).search(/\s\S/);
  const start = space === -1 ? from : from + space + 1;
  return isLowSurrogate(text, start) ? start - 1 : start;
}

function endOfPart(text: string, end: number): number {
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

function merged(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((one, other) => one[0] - other[0] || other[1] - one[1]);
  const result: Span[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    if (last !== undefined && span[0] <= last[1])
      result[result.length - 1] = [last[0], Math.max(last[1], span[1])];
    else result.push(span);
  }
  return result;
}
