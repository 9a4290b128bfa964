import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE, UsageError } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import type { Scope } from "../../input/entry-reference.ts";
import { givenNumber } from "../../input/integer.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToRead } from "../../store/open-store.ts";
import { infoJson, infoLines } from "../../view/conversation-view.ts";
import { entryTable, type Notes } from "../../view/entry-table.ts";
import { isOn, noteElsewhere, readWithTurn, turnJson, turnLines } from "../../view/turn-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const last = givenNumber(call, "last");
  const scope = scopeOf(call);
  await using store = await openToRead(call);
  const conversation = await conversationOf(call, store, reference);
  const info = await conversation.info();
  const { name: branch } = await branchOf(conversation, scope.branch);
  const query = { ...scope, ...(last !== undefined && { last }) };
  const read = (): Promise<Entry[]> => Array.fromAsync(conversation.entries(query));
  const { entries, turn } = await readWithTurn(conversation, read);
  const isHere = turn !== undefined && (scope.all === true || isOn(turn, branch));
  if (call.json) {
    const shown = turnJson(isHere ? turn : undefined);
    call.out.json({ info: { ...infoJson(info), head: info.head }, branch, entries, turn: shown });
  } else {
    call.out.lines(infoLines(call.out, info, branch));
    if (entries.length > 0)
      call.out.lines(["", ...entryTable(call.out, entries, await notesOf(conversation))]);
    if (isHere) call.out.lines(["", ...turnLines(call.out, turn)]);
    else if (turn !== undefined) noteElsewhere(call, turn);
  }
  return EXIT_DONE;
}

async function notesOf(conversation: Conversation): Promise<Notes> {
  const undone = (await conversation.compactions()).filter((compaction) => compaction.undone);
  return {
    labels: new Map((await conversation.labels()).map(({ entry, label }) => [entry, label])),
    undone: new Set(undone.map(({ id }) => id)),
  };
}

function scopeOf(call: Call): Scope {
  const branch = branchOption(call);
  if (!call.flags.has("all")) return branch === undefined ? {} : { branch };
  if (branch !== undefined) throw new UsageError("--branch and --all cannot be given together", "branch");
  return { all: true };
}
