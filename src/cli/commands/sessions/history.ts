import { textOf } from "../../../message/text.ts";
import type { MessageEntry } from "../../../message/types.ts";
import { safeLine, safeText } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { givenNumber } from "../../input/integer.ts";
import type { Output } from "../../output.ts";
import { readConversation } from "../../store/open-store.ts";
import { roleStyle } from "../../terminal/colours.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { indented } from "../../terminal/wrap.ts";
import { infoJson } from "../../view/conversation-view.ts";
import { endMark, readableOf } from "../../view/message-view.ts";
import { elsewhereNote, isOn, readWithTurn, turnJson, turnLines } from "../../view/turn-view.ts";

export function run(call: Call): Promise<Result> {
  const last = givenNumber(call, "last");
  const branch = branchOption(call);
  return readConversation(call, async (conversation) => {
    const info = await conversation.info();
    const { name } = await branchOf(conversation, branch);
    const read = (): Promise<MessageEntry[]> => Array.fromAsync(conversation.messages({ branch, last }));
    const { entries, turn } = await readWithTurn(conversation, read);
    const isHere = turn !== undefined && isOn(turn, name);
    const parts = [
      ...entries.map((entry) => messageLines(call.out, entry)),
      ...(isHere ? [turnLines(call.out, turn)] : []),
    ];
    const shown = turnJson(isHere ? turn : undefined);
    return {
      json: { info: infoJson(info), messages: entries.map(messageJson), turn: shown },
      isLong: true,
      lines: parts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines])),
      notes: [
        ...(parts.length === 0 ? ["No messages yet."] : []),
        ...(turn === undefined || isHere ? [] : [elsewhereNote(turn)]),
      ],
    };
  });
}

function messageJson({ message, at, id }: MessageEntry): Record<string, unknown> {
  // A message without text, such as a tool call, would otherwise look empty.
  const text = textOf(message) || readableOf(message);
  return { role: message.role, text, at, id, endState: message.endState };
}

/** The text is indented, so that no message can imitate the heading of another. */
function messageLines(out: Output, { message, at }: MessageEntry): string[] {
  const role = out.style("bold", out.style(roleStyle(message.role), safeLine(message.role)));
  const heading = `${role}${endMark(message)} ${out.style("dim", `· ${timeAgo(at)}`)}`;
  return [heading, ...indented(safeText(readableOf(message)).split("\n"), out.columns)];
}
