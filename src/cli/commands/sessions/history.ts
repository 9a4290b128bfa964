import { textOf } from "../../../message/text.ts";
import type { MessageEntry } from "../../../message/types.ts";
import { safeLine, safeText } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { givenNumber } from "../../input/integer.ts";
import { checkReference } from "../../input/reference.ts";
import type { Output } from "../../output.ts";
import { conversationOf, openToRead } from "../../store/open-store.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { indented } from "../../terminal/wrap.ts";
import { infoJson } from "../../view/conversation-view.ts";
import { endMark, readableOf } from "../../view/message-view.ts";
import { isOn, noteElsewhere, readWithTurn, turnJson, turnLines } from "../../view/turn-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const last = givenNumber(call, "last");
  const branch = branchOption(call);
  await using store = await openToRead(call);
  const conversation = await conversationOf(call, store, reference);
  const info = await conversation.info();
  if (branch !== undefined) await branchOf(conversation, branch);
  const query = { ...(branch !== undefined && { branch }), ...(last !== undefined && { last }) };
  const read = (): Promise<MessageEntry[]> => Array.fromAsync(conversation.messages(query));
  const { entries, turn } = await readWithTurn(conversation, read);
  const isHere = turn !== undefined && isOn(turn, (await branchOf(conversation, branch)).name);
  if (call.json) {
    const shown = turnJson(isHere ? turn : undefined);
    call.out.json({ info: infoJson(info), messages: entries.map(messageJson), turn: shown });
  } else {
    const parts = [
      ...entries.map((entry) => messageLines(call.out, entry)),
      ...(isHere ? [turnLines(call.out, turn)] : []),
    ];
    if (parts.length === 0) call.out.note("No messages yet.");
    else call.out.lines(parts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines])));
    if (turn !== undefined && !isHere) noteElsewhere(call, turn);
  }
  return EXIT_DONE;
}

function messageJson({ message, at, id }: MessageEntry): Record<string, unknown> {
  // A message without text, such as a tool call, would otherwise look empty.
  const text = textOf(message) || readableOf(message);
  return { role: message.role, text, at, id, endState: message.endState };
}

/** The text is indented, so that no message can imitate the heading of another. */
function messageLines(out: Output, { message, at }: MessageEntry): string[] {
  const role = out.style("bold", safeLine(message.role));
  const heading = `${role}${endMark(message)} ${out.style("dim", `· ${timeAgo(at)}`)}`;
  return [heading, ...indented(safeText(readableOf(message)).split("\n"), out.columns)];
}
