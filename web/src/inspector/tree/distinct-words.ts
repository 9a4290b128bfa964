/** Labels that tell siblings apart: two edits of one long question often begin with the same sentence. */
import type { BranchView } from "../../../../src/gateway/wire/rest.ts";

/** Shorter beginnings are shown whole, even if siblings share them. */
const SHARED_MIN = 20;

export function distinctWords(branches: readonly BranchView[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const siblings of Map.groupBy(
    branches,
    ({ parent, forkedFrom }) => `${parent}\n${forkedFrom}`,
  ).values()) {
    const sorted = siblings
      .map(({ name, firstWords }) => ({ name, words: firstWords ?? "" }))
      .sort((a, b) => (a.words < b.words ? -1 : 1));
    for (const [index, { name, words }] of sorted.entries()) {
      const shared = Math.max(
        sharedLength(words, sorted[index - 1]?.words),
        sharedLength(words, sorted[index + 1]?.words),
      );
      labels.set(name, fromDifference(words, shared));
    }
  }
  return labels;
}

function sharedLength(a: string, b: string | undefined): number {
  if (b === undefined) return 0;
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  // Equal texts do not differ anywhere: show their beginning.
  return length === a.length && length === b.length ? 0 : length;
}

function fromDifference(words: string, shared: number): string {
  if (shared < SHARED_MIN || shared >= words.length) return words;
  const start = words.lastIndexOf(" ", shared) + 1;
  return start === 0 ? words : `… ${words.slice(start)}`;
}
