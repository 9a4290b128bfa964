import { type MessageRef, refText } from "./set.ts";

/** Of one question, or the mean of several. From 0 to 1. */
export interface Scores {
  readonly hit1: number;
  readonly hit5: number;
  readonly recall10: number;
}

export interface QuestionScores {
  readonly message: Scores;
  readonly conversation: Scores;
  /** For each answer its rank among the messages, from 1; `null` if it was not found. */
  readonly ranks: readonly (number | null)[];
}

/** Compare the messages that were found, best first, with those that answer. */
export function scoresOf(found: readonly MessageRef[], answers: readonly MessageRef[]): QuestionScores {
  const messages = distinct(found.map(refText));
  const wanted = answers.map(refText);
  return {
    message: score(messages, wanted),
    conversation: score(
      distinct(found.map(({ conversation }) => conversation)),
      distinct(answers.map(({ conversation }) => conversation)),
    ),
    ranks: wanted.map((ref) => (messages.includes(ref) ? messages.indexOf(ref) + 1 : null)),
  };
}

function score(found: readonly string[], wanted: readonly string[]): Scores {
  const among = (count: number): number => {
    const first = new Set(found.slice(0, count));
    return wanted.filter((ref) => first.has(ref)).length;
  };
  return {
    hit1: among(1) > 0 ? 1 : 0,
    hit5: among(5) > 0 ? 1 : 0,
    recall10: among(10) / wanted.length,
  };
}

/** In the order of their first occurrence. */
function distinct(refs: readonly string[]): string[] {
  return [...new Set(refs)];
}

export function meanScores(scores: readonly Scores[]): Scores {
  const mean = (name: keyof Scores): number =>
    scores.reduce((sum, one) => sum + one[name], 0) / Math.max(scores.length, 1);
  return { hit1: mean("hit1"), hit5: mean("hit5"), recall10: mean("recall10") };
}

/** The smallest value that is not exceeded by this share of them (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}
