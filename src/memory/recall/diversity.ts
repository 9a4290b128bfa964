import { dot } from "../../sqlite/vectors/blob.ts";

export interface Candidate {
  readonly score: number;
  readonly vector: Float32Array | undefined;
  readonly words: ReadonlySet<string>;
}

/**
 * Maximal marginal relevance: each result is the one with the best balance of
 * its score and its difference from the results above it. `balance` 1 counts
 * the score alone.
 */
export function diverse<T extends Candidate>(
  candidates: readonly T[],
  limit: number,
  balance: number,
): (T & { readonly similarity: number })[] {
  const best = Math.max(...candidates.map(({ score }) => score), Number.MIN_VALUE);
  const left = candidates.map((candidate) => ({ ...candidate, similarity: 0 }));
  const chosen: (T & { similarity: number })[] = [];
  while (chosen.length < limit && left.length > 0) {
    const value = ({ score, similarity }: Candidate & { similarity: number }): number =>
      (balance * score) / best - (1 - balance) * similarity;
    let place = 0;
    for (const [index, each] of left.entries()) {
      if (value(each) > value(left[place] as (typeof left)[number])) place = index;
    }
    const [next] = left.splice(place, 1) as [T & { similarity: number }];
    chosen.push(next);
    for (const each of left) each.similarity = Math.max(each.similarity, similarity(each, next));
  }
  return chosen;
}

/** The cosine, or the share of common words where a vector is missing. */
function similarity(one: Candidate, other: Candidate): number {
  if (one.vector !== undefined && other.vector !== undefined)
    return Math.max(0, dot(one.vector, other.vector));
  let common = 0;
  for (const word of one.words) if (other.words.has(word)) common++;
  return common / Math.max(1, one.words.size + other.words.size - common);
}
