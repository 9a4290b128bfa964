/** What the Tab key does: the rest of a word, as far as all candidates agree. */
import type { EditedText } from "./edited-text.ts";

/** Candidates for the last word before the cursor, given the text up to there. */
export type Complete = (text: string) => Promise<readonly string[]>;

export interface Completion {
  readonly state: EditedText;
  /** To choose from, when nothing could be added. */
  readonly candidates: readonly string[];
}

export function completed(state: EditedText, candidates: readonly string[]): Completion {
  const { text, cursor } = state;
  const start = text.slice(0, cursor).search(/\S*$/);
  const word = text.slice(start, cursor);
  const matching = candidates.filter((candidate) => candidate.startsWith(word));
  const common = matching.reduce(commonStart, matching[0] ?? word);
  const [only] = matching.length === 1 ? matching : [];
  const more = only === undefined ? common.slice(word.length) : `${only.slice(word.length)} `;
  if (more === "") return { state, candidates: matching };
  return {
    state: { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length },
    candidates: [],
  };
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
}
