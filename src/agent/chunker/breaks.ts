/** The best place to end a chunk: after a line, after a sentence, after a word, or anywhere. */
import { isBoundary } from "./boundary.ts";
import type { Cuts } from "./settings.ts";

/** A part of a text in which a cut is wanted: both ends are possible places. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Places inside a character are skipped, but not without end: to tell them apart is slow. */
const TRIES_MAX = 8;

const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const WIDE_SPACE = 0x3000;

/** The last place of the best kind in the stretches, which are in the order of the text. */
export function bestBreak(text: string, stretches: readonly Stretch[], cuts: Cuts): number | undefined {
  const kinds = [
    (stretch: Stretch) => (cuts.atLines ? lastAfter(text, stretch, "\n") : undefined),
    (stretch: Stretch) => lastSentence(text, stretch, cuts.sentenceEnds),
    (stretch: Stretch) => lastWord(text, stretch),
  ];
  for (const last of kinds) {
    for (let index = stretches.length - 1; index >= 0; index--) {
      const place = last(stretches[index] as Stretch);
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

function lastSentence(text: string, stretch: Stretch, ends: readonly string[]): number | undefined {
  let best: number | undefined;
  for (const end of ends) {
    const from = best === undefined ? stretch.from : best + 1;
    best = lastAfter(text, { from, to: stretch.to }, end) ?? best;
  }
  return best;
}

/** The last place that follows a delimiter. */
function lastAfter(text: string, { from, to }: Stretch, delimiter: string): number | undefined {
  const first = Math.max(0, from - delimiter.length);
  // A search in the whole text would continue to its start.
  const part = text.slice(first, Math.max(first, to));
  let found = part.lastIndexOf(delimiter);
  for (let tries = 0; found !== -1 && tries < TRIES_MAX; tries++) {
    const place = first + found + delimiter.length;
    if (isBoundary(text, place)) return place;
    found = found === 0 ? -1 : part.lastIndexOf(delimiter, found - 1);
  }
  return undefined;
}

function lastWord(text: string, { from, to }: Stretch): number | undefined {
  let tries = 0;
  for (let place = to; place >= from && place > 0 && tries < TRIES_MAX; place--) {
    if (!isSpace(text.charCodeAt(place - 1))) continue;
    if (isBoundary(text, place)) return place;
    tries++;
  }
  return undefined;
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === NEWLINE || code === WIDE_SPACE;
}
