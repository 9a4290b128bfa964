import { meanScores, percentile, type QuestionScores, type Scores, scoresOf } from "./metrics.ts";
import type { Ranking } from "./ranking.ts";
import type { Question } from "./set.ts";

export interface RankingResult {
  readonly name: string;
  readonly message: Scores;
  readonly conversation: Scores;
  readonly latencyMs: { readonly p50: number; readonly p95: number };
  /** Of the questions of each kind or language. */
  readonly kinds: Readonly<Record<string, GroupResult>>;
  readonly languages: Readonly<Record<string, GroupResult>>;
  /** By the place of the question in the set. */
  readonly questions: readonly QuestionScores[];
}

export interface GroupResult {
  readonly questions: number;
  readonly message: Scores;
  readonly conversation: Scores;
}

/** Ask every question, one after the other. */
export async function evaluate(
  ranking: Ranking,
  questions: readonly Question[],
  limit: number,
): Promise<RankingResult> {
  // The first query pays for whatever is loaded or indexed late, and would be an outlier of every run.
  await ranking.search("first query", limit);
  const asked: Asked[] = [];
  const times: number[] = [];
  for (const question of questions) {
    const startMs = performance.now();
    const found = await ranking.search(question.text, limit);
    times.push(performance.now() - startMs);
    asked.push({ question, scores: scoresOf(found, question.answers) });
  }
  return {
    name: ranking.name,
    ...means(asked),
    latencyMs: { p50: percentile(times, 0.5), p95: percentile(times, 0.95) },
    kinds: grouped(asked, "kind"),
    languages: grouped(asked, "language"),
    questions: asked.map(({ scores }) => scores),
  };
}

interface Asked {
  readonly question: Question;
  readonly scores: QuestionScores;
}

function means(asked: readonly Asked[]): { message: Scores; conversation: Scores } {
  return {
    message: meanScores(asked.map(({ scores }) => scores.message)),
    conversation: meanScores(asked.map(({ scores }) => scores.conversation)),
  };
}

function grouped(asked: readonly Asked[], by: "kind" | "language"): Record<string, GroupResult> {
  const groups = Map.groupBy(asked, ({ question }) => question[by]);
  return Object.fromEntries(
    [...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, some]) => [name, { questions: some.length, ...means(some) }]),
  );
}
