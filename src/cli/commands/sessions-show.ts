import { allEntries, lastOf, type Scope } from "../all-entries.ts";
import { branchOf, branchOption } from "../branch-name.ts";
import type { Call } from "../command.ts";
import { infoJson, infoLines } from "../conversation-view.ts";
import { entryTable } from "../entry-table.ts";
import { EXIT_DONE, UsageError } from "../exit.ts";
import { conversationOf, openToRead } from "../open-store.ts";
import { checkReference } from "../reference.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const last = lastOf(call);
  const scope = scopeOf(call);
  await using store = await openToRead(call);
  const conversation = await conversationOf(store, reference);
  const info = await conversation.info();
  const { name: branch } = await branchOf(conversation, scope.branch);
  const entries = await allEntries(conversation, "entries", last, scope);
  if (call.json) call.out.json({ info: { ...infoJson(info), head: info.head }, branch, entries });
  else {
    call.out.lines(infoLines(call.out, info, branch));
    const labels = new Map((await conversation.labels()).map(({ entry, label }) => [entry, label]));
    if (entries.length > 0) call.out.lines(["", ...entryTable(call.out, entries, labels)]);
  }
  return EXIT_DONE;
}

function scopeOf(call: Call): Scope {
  const branch = branchOption(call);
  if (!call.flags.has("all")) return branch === undefined ? {} : { branch };
  if (branch !== undefined) throw new UsageError("--branch and --all cannot be given together", "branch");
  return { all: true };
}
