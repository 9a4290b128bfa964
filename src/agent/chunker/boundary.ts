/** Characters as a reader counts them: a flag, a family or a letter with its accents is never cut. */

let segmenter: Intl.Segmenter | undefined;

const NEWLINE = 10;
const HIGH_SURROGATES = [0xd800, 0xdbff] as const;
const LOW_SURROGATES = [0xdc00, 0xdfff] as const;

/**
 * Characters that never join with each other: those of most texts. All others are left to the segmenter, which is slow.
 * Latin, Greek, Cyrillic, Armenian; punctuation, kana and ideographs of East Asia; full-width forms.
 */
const PLAIN = [
  [0x20, 0x7e],
  [0xa0, 0x2ff],
  [0x370, 0x482],
  [0x48a, 0x590],
  [0x3001, 0x3029],
  [0x3041, 0x3096],
  [0x30a1, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xff01, 0xff9d],
] as const;

/** Whether a text can be cut before the unit at `at`. Looks at two more units, and at those before them. */
export function isBoundary(text: string, at: number): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (before === NEWLINE) return true;
  return (isPlain(before) && isPlain(after)) || boundaryBefore(text, at) === at;
}

/**
 * The last place at or before `at` where the text can be cut. A character that is longer than the text before `at`
 * is cut between two code points.
 */
export function lastBoundary(text: string, at: number): number {
  if (at >= text.length || isBoundary(text, at)) return at;
  const place = boundaryBefore(text, at);
  if (place > 0) return place;
  const isPair = isIn(LOW_SURROGATES, text.charCodeAt(at)) && isIn(HIGH_SURROGATES, text.charCodeAt(at - 1));
  if (!isPair) return at;
  return at === 1 ? 2 : at - 1;
}

function boundaryBefore(text: string, at: number): number {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text.slice(0, at + 2)).containing(at)?.index ?? at;
}

function isPlain(code: number): boolean {
  return PLAIN.some((range) => isIn(range, code));
}

function isIn([from, to]: readonly [number, number], code: number): boolean {
  return code >= from && code <= to;
}
