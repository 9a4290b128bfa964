import type { GroupResult, RankingResult } from "./evaluate.ts";
import type { Scores } from "./metrics.ts";
import { type RecallSet, refText } from "./set.ts";

export interface Report {
  readonly set: RecallSet;
  readonly results: readonly RankingResult[];
}

/** The report for a person. */
export function reportText({ set, results }: Report): string {
  const messages = set.conversations.reduce((sum, conversation) => sum + conversation.messages.length, 0);
  return [
    `${set.folder}: ${set.conversations.length} conversations, ${messages} messages, ${set.questions.length} questions`,
    "",
    ...table(
      [
        "%",
        "message hit@1",
        "hit@5",
        "recall@10",
        "conversation hit@1",
        "hit@5",
        "recall@10",
        "p50 ms",
        "p95 ms",
      ],
      results.map(({ name, message, conversation, latencyMs }) => [
        name,
        ...percents(message),
        ...percents(conversation),
        latencyMs.p50.toFixed(1),
        latencyMs.p95.toFixed(1),
      ]),
    ),
    "",
    ...breakdown("kind", results, ({ kinds }) => kinds),
    "",
    ...breakdown("language", results, ({ languages }) => languages),
  ].join("\n");
}

/** Message recall@10 of each ranking, group by group. */
function breakdown(
  title: string,
  results: readonly RankingResult[],
  groupsOf: (result: RankingResult) => Readonly<Record<string, GroupResult>>,
): string[] {
  const [first] = results;
  if (first === undefined) return [];
  const rows = Object.entries(groupsOf(first)).map(([group, { questions }]) => [
    group,
    String(questions),
    ...results.map((result) => percent(groupsOf(result)[group]?.message.recall10 ?? 0)),
  ]);
  return table([`message recall@10 by ${title}`, "questions", ...results.map(({ name }) => name)], rows);
}

/** The questions that the last ranking did not answer within ten messages, with the ranks in all of them. */
export function missesText({ set, results }: Report): string {
  const last = results.at(-1);
  const lines = set.questions.flatMap((question, index) => {
    if ((last?.questions[index]?.message.recall10 ?? 0) === 1) return [];
    const answers = question.answers.map((answer, place) => {
      const ranks = results.map(
        ({ name, questions }) => `${name} ${questions[index]?.ranks[place] ?? "not found"}`,
      );
      return `    ${refText(answer)}: ${ranks.join(", ")}`;
    });
    return [`${question.id} (${question.language}, ${question.kind}) ${question.text}`, ...answers];
  });
  return [`Missed by ${last?.name}:`, ...(lines.length === 0 ? ["nothing"] : lines)].join("\n");
}

/** The report for a program. */
export function reportJson({ set, results }: Report): object {
  return {
    folder: set.folder,
    conversations: set.conversations.length,
    messages: set.conversations.reduce((sum, { messages }) => sum + messages.length, 0),
    rankings: results.map(({ questions, ...result }) => ({
      ...result,
      questions: set.questions.map(({ id, answers }, index) => ({
        id,
        ranks: Object.fromEntries(
          answers.map((answer, place) => [refText(answer), questions[index]?.ranks[place] ?? null]),
        ),
      })),
    })),
  };
}

function percents({ hit1, hit5, recall10 }: Scores): string[] {
  return [hit1, hit5, recall10].map(percent);
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}
