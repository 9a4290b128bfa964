/** A summary without a model: the first words of what the user said. */
import { firstWordsOf } from "../../message/title.ts";
import type { Summarize } from "../../store/context/summarize.ts";

const LINES_MAX = 40;

export const plainSummary: Summarize = ({ messages, previousSummary }) => {
  const said = messages.flatMap((message) => firstWordsOf(message) ?? []);
  const left = said.length - LINES_MAX;
  const lines = said.slice(-LINES_MAX).map((words) => `- ${words}`);
  return [
    ...(previousSummary === undefined ? [] : [previousSummary]),
    `The user said, in ${messages.length} messages that are left out here:`,
    ...(left > 0 ? [`- (${left} more)`] : []),
    ...lines,
  ].join("\n");
};
