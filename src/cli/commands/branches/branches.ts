import type { Conversation } from "../../../store/conversation.ts";
import type { BranchInfo } from "../../../store/index.ts";
import type { Call, Result } from "../../command.ts";
import { readConversation } from "../../store/open-store.ts";
import { timeAgo } from "../../terminal/time-ago.ts";
import { branchJson, branchTable, warningLines } from "../../view/branch-view.ts";
import { nameOf } from "../../view/conversation-view.ts";
import { flattenAdvice } from "../../view/flatten-advice.ts";

export function run(call: Call): Promise<Result> {
  return readConversation(call, async (conversation) => {
    const branches = await conversation.branches();
    const deepestFirst = branches.toSorted((a, b) => b.depth - a.depth);
    const warnings = deepestFirst.flatMap(({ warning }) => (warning === null ? [] : [warning]));
    const json = { branches: branches.map(branchJson), warnings };
    if (call.json) return { json };
    const times = await lastTimes(conversation, branches);
    return {
      json,
      lines: [
        ...branchTable(call.out, branches, ({ name }) => timeAgo(times.get(name) ?? null)),
        ...(warnings.length > 0 ? ["", ...warningLines(call.out, warnings)] : []),
      ],
      notes: flattenAdvice(call, nameOf(await conversation.info()), branches),
    };
  });
}

/** When each branch was last written, or created if it has no entries yet. */
export async function lastTimes(
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
