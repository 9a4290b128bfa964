const CHARS_MAX = 64;

export interface ClosestWordOptions {
  /** The most edits that still count as close. By default a third of the word's length, but at least one. */
  readonly stepsMax?: number;
  /** Treat a word that starts with what was typed as an exact match. */
  readonly prefixes?: boolean;
}

/** The known word that was probably meant, or `undefined` when none is close. */
export function closestWord(
  typed: string,
  known: readonly string[],
  { stepsMax = Number.POSITIVE_INFINITY, prefixes = false }: ClosestWordOptions = {},
): string | undefined {
  const wanted = typed.toLowerCase().slice(0, CHARS_MAX);
  let best: string | undefined;
  let least = stepsMax + 1;
  for (const word of known) {
    // Otherwise the empty word would be one edit from every letter.
    if (word === "") continue;
    const candidate = word.toLowerCase();
    const isStart = prefixes && candidate.startsWith(wanted);
    // The distance is at least the difference in length, which is known at no cost.
    if (!isStart && Math.abs(candidate.length - wanted.length) >= least) continue;
    const steps = isStart ? 0 : editDistance(wanted, candidate);
    if (steps < least) [best, least] = [word, steps];
  }
  if (best === undefined) return undefined;
  return least <= Math.max(1, Math.floor(best.length / 3)) ? best : undefined;
}

/** Edit distance in insertions, deletions, substitutions and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const steps = [(above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same];
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1)
        steps.push((before[j - 2] ?? 0) + 1);
      row.push(Math.min(...steps));
    }
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}
