const CHARS_MAX = 64;

/** The known word that somebody probably meant, or `undefined` when none is near. */
export function nearest(
  typed: string,
  known: readonly string[],
  stepsMax: number = Number.POSITIVE_INFINITY,
): string | undefined {
  const wanted = typed.toLowerCase().slice(0, CHARS_MAX);
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const word of known) {
    const steps = distance(wanted, word.toLowerCase());
    if (steps < least) [best, least] = [word, steps];
  }
  if (best === undefined || least > stepsMax) return undefined;
  return least <= Math.max(1, Math.floor(best.length / 3)) ? best : undefined;
}

/** How many letters are to be changed, added or taken away; two that changed places count as one. */
function distance(a: string, b: string): number {
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
