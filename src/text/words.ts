/**
 * The words of a text, for search.
 *
 * Identifiers and paths are split into their parts (`fitToContextWindow`: fit, to, context, window), versions stay
 * whole (`3.53.4`), and scripts without spaces are cut into overlapping pairs of characters.
 */
import { foldWord } from "./fold.ts";

/**
 * Receives each word, folded, with its place in the text. `isWhole`: an identifier as one word, after its parts;
 * `isPair`: two characters of a script without spaces, or its last one.
 */
export type WordVisitor = (word: string, start: number, end: number, kind: WordKind) => void;
export type WordKind = "word" | "whole" | "pair";

const SEPARATOR = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const OTHER = 4;

/** What each ASCII character is. */
const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  return /\d/.test(character) ? DIGIT : SEPARATOR;
});

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return KINDS[code] as number;
  // NaN, at the end.
  return code >= 128 ? OTHER : SEPARATOR;
}

/** Longer ones are data, not words: Base64, hashes, minified code. */
const WORD_CHARS_MAX = 64;

export function visitWords(text: string, visit: WordVisitor): void {
  let at = 0;
  while (at < text.length) {
    const kind = kindAt(text, at);
    if (kind === SEPARATOR) at++;
    else at = kind === OTHER ? visitOther(text, at, visit) : visitAscii(text, at, visit);
  }
}

/** A run of ASCII letters and digits, unless a letter of another kind belongs to it. */
function visitAscii(text: string, start: number, visit: WordVisitor): number {
  let end = start + 1;
  let kind = kindAt(text, end);
  let cased = false;
  while (kind === LOWER || kind === UPPER || kind === DIGIT) {
    if (kind === UPPER) cased = true;
    kind = kindAt(text, ++end);
  }
  if (kind === OTHER && isLetterAt(text, end)) return visitOther(text, start, visit);
  const dotted = endOfVersion(text, start, end);
  if (dotted > end) {
    const from = KINDS[text.charCodeAt(start)] === DIGIT ? start : start + 1;
    visit(text.slice(from, dotted), from, dotted, "word");
    return dotted;
  }
  if (end - start > WORD_CHARS_MAX) return end;
  const joined = endOfContraction(text, start, end);
  if (joined !== end) {
    // "don't" is one word; of "Maria's" only the name is.
    const isOwner = joined === end + 2 && /s/i.test(text.charAt(end + 1));
    const word = isOwner ? text.slice(start, end) : text.slice(start, end) + text.slice(end + 1, joined);
    visit(word.toLowerCase(), start, isOwner ? end : joined, "word");
    return joined;
  }
  if (cased && visitParts(text, start, end, visit)) {
    visit(text.slice(start, end).toLowerCase(), start, end, "whole");
  } else {
    visit(text.slice(start, end).toLowerCase(), start, end, "word");
  }
  return end;
}

/** `v3.53.4` and `10.5` continue after a dot. */
function endOfVersion(text: string, start: number, end: number): number {
  if (text.charCodeAt(end) !== 0x2e || kindAt(text, end + 1) !== DIGIT) return end;
  const first = (text.charCodeAt(start) | 0x20) === 0x76 ? start + 1 : start;
  for (let at = first; at < end; at++) if (kindAt(text, at) !== DIGIT) return end;
  if (first === end) return end;
  let at = end;
  while (text.charCodeAt(at) === 0x2e && kindAt(text, at + 1) === DIGIT && at - start < WORD_CHARS_MAX) {
    at++;
    while (kindAt(text, at) === DIGIT) at++;
  }
  return at;
}

const CONTRACTIONS: ReadonlySet<string> = new Set(["s", "t", "re", "ve", "ll", "d", "m"]);

/** The end of a word that continues after an apostrophe, or its own end. */
function endOfContraction(text: string, start: number, end: number): number {
  const code = text.charCodeAt(end);
  if (code !== 0x27 && code !== 0x2019) return end;
  let at = end + 1;
  while (kindAt(text, at) === LOWER || kindAt(text, at) === UPPER) at++;
  if (kindAt(text, at) === DIGIT || start === end) return end;
  return CONTRACTIONS.has(text.slice(end + 1, at).toLowerCase()) ? at : end;
}

/** The parts of `camelCase` and `HTTPServer`. Returns whether there are several. */
function visitParts(text: string, start: number, end: number, visit: WordVisitor): boolean {
  const cuts: number[] = [];
  for (let at = start + 1; at < end; at++) {
    if (kindAt(text, at) !== UPPER) continue;
    const before = kindAt(text, at - 1);
    if (before !== UPPER || (at + 1 < end && kindAt(text, at + 1) === LOWER)) cuts.push(at);
  }
  if (cuts.length === 0) return false;
  let from = start;
  for (const cut of [...cuts, end]) {
    visit(text.slice(from, cut).toLowerCase(), from, cut, "word");
    from = cut;
  }
  return true;
}

function isLetterAt(text: string, at: number): boolean {
  return lettersAt(text, at) !== undefined;
}

// Patterns of whole scripts are in functions: V8 reads them when they are first used, not when a command starts.

function lettersAt(text: string, at: number): string | undefined {
  return matchAt(/[\p{L}\p{M}\p{N}]+/uy, text, at);
}

function emojiAt(text: string, at: number): string | undefined {
  return matchAt(/\p{Extended_Pictographic}/uy, text, at);
}

/** Written without spaces, or, like Korean, with endings that are part of the word. */
function pairedIn(run: string): Iterable<RegExpExecArray> {
  return run.matchAll(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu,
  );
}

function matchAt(sticky: RegExp, text: string, at: number): string | undefined {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0];
}

/** Words with letters beyond ASCII. Returns where to continue. */
function visitOther(text: string, start: number, visit: WordVisitor): number {
  const run = lettersAt(text, start);
  if (run === undefined) {
    const emoji = emojiAt(text, start);
    if (emoji !== undefined) visit(emoji, start, start + emoji.length, "word");
    return start + (emoji?.length ?? 1);
  }
  let from = 0;
  for (const paired of pairedIn(run)) {
    visitFolded(run.slice(from, paired.index), start + from, visit);
    visitPairs(paired[0], start + paired.index, visit);
    from = paired.index + paired[0].length;
  }
  visitFolded(run.slice(from), start + from, visit);
  return start + run.length;
}

const folded: Map<string, string> = new Map();
const FOLDED_MAX = 20_000;

function visitFolded(word: string, start: number, visit: WordVisitor): void {
  if (word === "" || word.length > WORD_CHARS_MAX) return;
  let form = folded.get(word);
  if (form === undefined) {
    if (folded.size >= FOLDED_MAX) folded.clear();
    form = foldWord(word);
    folded.set(word, form);
  }
  if (form !== "") visit(form, start, start + word.length, "word");
}

/** Each character with the next; the last one alone, so that a prefix search finds every character. */
function visitPairs(run: string, start: number, visit: WordVisitor): void {
  let last = "";
  let lastAt = start;
  let at = start;
  for (const character of run) {
    if (last !== "") visit(foldPair(last + character), lastAt, at + character.length, "pair");
    last = character;
    lastAt = at;
    at += character.length;
  }
  visit(foldPair(last), lastAt, at, "pair");
}

/** Of full and half width. Accents are parts of letters here. */
function foldPair(pair: string): string {
  return pair.normalize("NFKC");
}
