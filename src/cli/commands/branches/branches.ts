import type { Conversation } from "../../../store/conversation.ts";
import type { BranchInfo } from "../../../store/index.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToRead } from "../../store/open-store.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { branchJson, branchTable, warningLines } from "../../view/branch-view.ts";
import { flattenAdvice } from "../../view/flatten-advice.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToRead(call);
  const conversation = await conversationOf(call, store, reference);
  const branches = await conversation.branches();
  const deepestFirst = branches.toSorted((a, b) => b.depth - a.depth);
  const warnings = deepestFirst.flatMap(({ warning }) => (warning === null ? [] : [warning]));
  if (call.json) call.out.json({ branches: branches.map(branchJson), warnings });
  else {
    const times = await lastTimes(conversation, branches);
    call.out.lines(branchTable(call.out, branches, ({ name }) => timeAgo(times.get(name) ?? null)));
    if (warnings.length > 0) {
      call.out.lines(["", ...warningLines(call.out, warnings)]);
      flattenAdvice(call, reference, branches);
    }
  }
  return EXIT_DONE;
}

/** When each branch was last written, or created if it has no entries yet. */
async function lastTimes(
  conversation: Conversation,
  branches: readonly BranchInfo[],
): Promise<Map<string, string | null>> {
  const times = new Map<string, string | null>();
  for (const { name, entryCount, createdAt } of branches) {
    const newest = entryCount === 0 ? undefined : await conversation.entries({ branch: name, last: 1 });
    times.set(name, newest?.items[0]?.at ?? createdAt);
  }
  return times;
}
