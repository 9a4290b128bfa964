import { ColloquyError } from "../../../errors.ts";
import type { Entry } from "../../../message/types.ts";
import { LIMIT_MAX } from "../../../store/access.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { branchOf, branchOption } from "../../input/branch-name.ts";
import { checkEntry, entryAt, entryIdOf, entryOf, type Scope } from "../../input/entry-reference.ts";
import { givenNumber, integerOf } from "../../input/integer.ts";
import { readConversation } from "../../store/open-store.ts";
import { infoJson, infoLines } from "../../view/conversation-view.ts";
import { entryTable, type Notes } from "../../view/entry-table.ts";
import { elsewhereNote, isOn, readWithTurn, turnJson, turnLines } from "../../view/turn-view.ts";
import type { Shown } from "./follow.ts";

const AROUND_DEFAULT = 3;

export function run(call: Call): Promise<Result> {
  const last = givenNumber(call, "last");
  const place = placeOf(call);
  const chosen = branchOption(call);
  return readConversation(call, async (conversation, store) => {
    const { name: branch } = await branchOf(conversation, chosen);
    const scope: Scope = call.flags.has("all") ? { all: true } : { branch };
    const sought = place === undefined ? undefined : await entryIdOf(conversation, place.entry);
    const read = (): Promise<Entry[]> =>
      sought === undefined
        ? Array.fromAsync(conversation.entries({ ...scope, last }))
        : around(conversation, scope, sought, place?.count ?? AROUND_DEFAULT);
    const show = (): Promise<Shown> => shown(call, conversation, branch, read, sought);
    if (!call.flags.has("follow")) return (await show()).result;
    const { followEntries } = await import("./follow.ts");
    return followEntries(call, store, conversation, scope, show);
  });
}

/** The value of `--at`, and how many entries to show on each side of it. */
function placeOf({ values }: Call): { entry: string; count: number } | undefined {
  const [entry, count] = [values.get("at"), values.get("context")];
  if (entry === undefined) {
    if (count !== undefined) throw new UsageError("--context requires --at", "context");
    return undefined;
  }
  return {
    entry: checkEntry(entry),
    count: count === undefined ? AROUND_DEFAULT : integerOf(count, "context", LIMIT_MAX, 0),
  };
}

async function around(conversation: Conversation, scope: Scope, id: string, count: number): Promise<Entry[]> {
  const seq = (await entryOf(conversation, id))?.seq ?? 0;
  const entry = await entryAt(conversation, seq, scope);
  if (entry === undefined) {
    const message = `Entry ${id} is not on the branch ${scope.branch}: add --branch NAME or --all`;
    throw new ColloquyError("NOT_FOUND", message, { field: "at" });
  }
  if (count === 0) return [entry];
  const before = await conversation.entries({ ...scope, before: id, limit: count });
  const after = await conversation.entries({ ...scope, after: id, limit: count });
  return [...before.items, entry, ...after.items];
}

async function shown(
  call: Call,
  conversation: Conversation,
  branch: string,
  read: () => Promise<Entry[]>,
  sought: string | undefined,
): Promise<Shown> {
  const info = await conversation.info();
  const { entries, turn } = await readWithTurn(conversation, read);
  const isHere = turn !== undefined && (call.flags.has("all") || isOn(turn, branch));
  const unfinished = turnJson(isHere ? turn : undefined);
  const json = { info: { ...infoJson(info), head: info.head }, branch, entries, turn: unfinished };
  if (call.json) return { entries, result: { json } };
  const notes = { ...(await notesOf(conversation)), sought, steady: call.flags.has("follow") };
  return {
    entries,
    result: {
      json,
      isLong: true,
      lines: [
        ...infoLines(call.out, info, branch),
        ...(entries.length === 0 ? [] : ["", ...entryTable(call.out, entries, notes)]),
        ...(isHere ? ["", ...turnLines(call.out, turn)] : []),
      ],
      notes: turn === undefined || isHere ? [] : [elsewhereNote(turn)],
    },
  };
}

async function notesOf(conversation: Conversation): Promise<Notes> {
  const undone = (await conversation.compactions()).filter((compaction) => compaction.undone);
  return {
    labels: new Map((await conversation.labels()).map(({ entry, label }) => [entry, label])),
    undone: new Set(undone.map(({ id }) => id)),
  };
}
