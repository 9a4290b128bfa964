/** The known word that somebody probably meant, or `undefined` when none is near. */
export function suggestion(typed: string, known: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase().slice(0, 64);
  const near = known
    .filter((word) => word !== "")
    .map((word) => ({ word, distance: word.startsWith(wanted) ? 0 : distance(wanted, word) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (near === undefined || near.distance > Math.max(1, Math.floor(near.word.length / 3))) return undefined;
  return near.word;
}

/** How many letters are to be changed, added or taken away; two that changed places count as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number): number => rows[i - up]?.[j - left] ?? 0;
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, at(1, 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(2, 2) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
}
