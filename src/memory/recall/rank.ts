/** How the parts of a score become one. Pure: no file, no clock. */

export interface RankOptions {
  /** `weighted`: 0.7 of the vector's score and 0.3 of the words'. `reciprocal`: by the place in both lists. */
  readonly fusion?: "weighted" | "reciprocal" | undefined;
  readonly vectorWeight?: number | undefined;
  readonly textWeight?: number | undefined;
  /** After how many days the share of recency is half. */
  readonly halfLifeDays?: number | undefined;
  /** From 0 to 1: how similar results may be to each other; 1 disables the limit. */
  readonly diversity?: number | undefined;
}

/** Every part of a score. Each is from 0 to 1. */
export interface Explanation {
  /** The cosine to the question; `null` without a vector. */
  readonly vector: number | null;
  /** Of the words, compared with the best; `null` when no word matches. */
  readonly text: number | null;
  readonly relevance: number;
  /** 1 for now, 0.5 after the half-life. */
  readonly recency: number;
  readonly importance: number;
  /** How much it resembles a result above it. */
  readonly similarity: number;
}

export const RANK: Required<{ readonly [Name in keyof RankOptions]: NonNullable<RankOptions[Name]> }> = {
  fusion: "weighted",
  vectorWeight: 0.7,
  textWeight: 0.3,
  halfLifeDays: 30,
  diversity: 0.7,
};

const DAY_MS = 86_400_000;
/** A usual constant: the first few places do not count for everything. */
const RECIPROCAL_K = 60;
/** Old notes rank lower, but what answers the question is found however old it is. */
const RECENCY_SHARE = 0.2;
const IMPORTANCE_SHARE = 0.5;

export interface Relevant {
  readonly vector: number | null;
  readonly vectorPlace: number | null;
  readonly text: number | null;
  readonly textPlace: number | null;
}

/** From 0 to 1. Without vectors the words count alone, and the reverse. */
export function relevanceOf(
  parts: Relevant,
  options: typeof RANK,
  has: { vectors: boolean; words: boolean },
): number {
  const vectorWeight = has.vectors ? options.vectorWeight : 0;
  const textWeight = has.words ? options.textWeight : 0;
  const sum = vectorWeight + textWeight;
  if (sum === 0) return 0;
  const isWeighted = options.fusion === "weighted";
  const vector = isWeighted ? Math.max(0, parts.vector ?? 0) : reciprocal(parts.vectorPlace);
  const text = isWeighted ? (parts.text ?? 0) : reciprocal(parts.textPlace);
  return (vectorWeight * vector + textWeight * text) / sum;
}

/** 1 for the first place. */
function reciprocal(place: number | null): number {
  return place === null ? 0 : (RECIPROCAL_K + 1) / (RECIPROCAL_K + 1 + place);
}

export function recencyOf(atMs: number, nowMs: number, halfLifeDays: number): number {
  return 0.5 ** (Math.max(0, nowMs - atMs) / DAY_MS / halfLifeDays);
}

/** The importance of 0.5, which is the default, changes nothing. */
export function scoreOf(relevance: number, recency: number, importance: number): number {
  const fresh = 1 - RECENCY_SHARE + RECENCY_SHARE * recency;
  return relevance * fresh * (1 + IMPORTANCE_SHARE * (importance - 0.5));
}
