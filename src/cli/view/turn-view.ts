/** An unfinished answer as text and as JSON. */
import type { Entry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { TurnUnderWay } from "../../store/index.ts";
import { safeLine, safeText } from "../../util/visible-text.ts";
import type { Output } from "../output.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import { indented, wrapHard } from "../terminal/wrap.ts";

const READINGS_MAX = 3;

export interface Reading<T> {
  readonly entries: readonly T[];
  /** The unfinished answer after them. */
  readonly turn: TurnUnderWay | undefined;
}

/** Entries and the unfinished answer, with no text in both, even if the answer ends meanwhile. */
export async function readWithTurn<T extends Entry>(
  conversation: Conversation,
  read: () => Promise<T[]>,
): Promise<Reading<T>> {
  for (let reading = 1; ; reading++) {
    const before = await conversation.turn();
    const entries = await read();
    const turn = await conversation.turn();
    if (isSame(before, turn) || reading === READINGS_MAX) return { entries, turn };
  }
}

/** Whether it has only grown, so that none of its text has become an entry. */
function isSame(before: TurnUnderWay | undefined, now: TurnUnderWay | undefined): boolean {
  return before?.id === now?.id && (now?.text ?? "").startsWith(before?.text ?? "");
}

/** Whether it is shown with a branch. If its branch was pruned, it is shown with every branch. */
export function isOn({ branch }: TurnUnderWay, shown: string): boolean {
  return branch === null || branch === shown;
}

export function turnJson(turn: TurnUnderWay | undefined): Record<string, unknown> | null {
  if (turn === undefined) return null;
  const { text, startedAt, model } = turn;
  return { text, startedAt, model };
}

const STATE = "An answer is in progress or was left unfinished";

/** The text is indented, like that of messages. */
export function turnLines(out: Output, { text, startedAt, model }: TurnUnderWay): string[] {
  const by = model === null ? "" : ` by ${safeLine(model)}`;
  const colon = text === "" ? "" : ":";
  const heading = `${STATE} (started ${timeAgo(startedAt)}${by})${colon}`;
  return [
    ...wrapHard(heading, out.columns).map((line) => out.style("yellow", line)),
    ...(text === "" ? [] : indented(safeText(text).split("\n"), out.columns)),
  ];
}

export function elsewhereNote({ branch }: TurnUnderWay): string {
  return `${STATE} on the branch ${safeLine(branch ?? "")}.`;
}
