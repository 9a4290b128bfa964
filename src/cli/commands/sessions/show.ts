import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Call, Result } from "../../command.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import type { Scope } from "../../input/entry-reference.ts";
import { givenNumber } from "../../input/integer.ts";
import { readConversation } from "../../store/open-store.ts";
import { infoJson, infoLines } from "../../view/conversation-view.ts";
import { entryTable, type Notes } from "../../view/entry-table.ts";
import { elsewhereNote, isOn, readWithTurn, turnJson, turnLines } from "../../view/turn-view.ts";

export function run(call: Call): Promise<Result> {
  const last = givenNumber(call, "last");
  const all = call.flags.has("all") || undefined;
  const scope: Scope = { branch: branchOption(call), all };
  return readConversation(call, async (conversation) => {
    const info = await conversation.info();
    const { name: branch } = await branchOf(conversation, scope.branch);
    const read = (): Promise<Entry[]> => Array.fromAsync(conversation.entries({ ...scope, last }));
    const { entries, turn } = await readWithTurn(conversation, read);
    const isHere = turn !== undefined && (all === true || isOn(turn, branch));
    const shown = turnJson(isHere ? turn : undefined);
    const json = { info: { ...infoJson(info), head: info.head }, branch, entries, turn: shown };
    if (call.json) return { json };
    return {
      json,
      lines: [
        ...infoLines(call.out, info, branch),
        ...(entries.length === 0 ? [] : ["", ...entryTable(call.out, entries, await notesOf(conversation))]),
        ...(isHere ? ["", ...turnLines(call.out, turn)] : []),
      ],
      notes: turn === undefined || isHere ? [] : [elsewhereNote(turn)],
    };
  });
}

async function notesOf(conversation: Conversation): Promise<Notes> {
  const undone = (await conversation.compactions()).filter((compaction) => compaction.undone);
  return {
    labels: new Map((await conversation.labels()).map(({ entry, label }) => [entry, label])),
    undone: new Set(undone.map(({ id }) => id)),
  };
}
