/** An answer that has not ended, as the command shows it to people and to programs. */
import type { Entry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { TurnUnderWay } from "../../store/index.ts";
import { safeLine, safeText } from "../../util/visible-text.ts";
import type { Call } from "../command.ts";
import type { Output } from "../output.ts";
import { timeAgo } from "../terminal/time-ago.ts";
import { indented, wrapHard } from "../terminal/wrap.ts";

const READINGS_MAX = 3;

export interface Reading<T> {
  readonly entries: readonly T[];
  /** What follows them. */
  readonly turn: TurnUnderWay | undefined;
}

/** Entries with the answer that is under way, each word in one of them only, whatever happens meanwhile. */
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

/** Only grown since: none of its text has become an entry. */
function isSame(before: TurnUnderWay | undefined, now: TurnUnderWay | undefined): boolean {
  return before?.id === now?.id && (now?.text ?? "").startsWith(before?.text ?? "");
}

/** Whether it is to be seen on a branch. One whose branch was pruned is, or it would be seen nowhere. */
export function isOn({ branch }: TurnUnderWay, shown: string): boolean {
  return branch === null || branch === shown;
}

export function turnJson(turn: TurnUnderWay | undefined): Record<string, unknown> | null {
  if (turn === undefined) return null;
  const { text, startedAt, model } = turn;
  return { text, startedAt, model };
}

const STATE = "An answer is under way, or was left unfinished";

/** The text is indented, as that of messages is. */
export function turnLines(out: Output, { text, startedAt, model }: TurnUnderWay): string[] {
  const by = model === null ? "" : ` by ${safeLine(model)}`;
  const colon = text === "" ? "" : ":";
  const heading = `${STATE} (begun ${timeAgo(startedAt)}${by})${colon}`;
  return [
    ...wrapHard(heading, out.columns).map((line) => out.style("yellow", line)),
    ...(text === "" ? [] : indented(safeText(text).split("\n"), out.columns)),
  ];
}

export function noteElsewhere({ out }: Call, { branch }: TurnUnderWay): void {
  out.note(`${STATE} on the branch ${safeLine(branch ?? "")}.`);
}
