import type { Entry } from "../../../message/types.ts";
import type { Conversation } from "../../../store/conversation.ts";
import type { Comparison } from "../../../store/index.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { branchOf, checkBranchName } from "../../input/branch-name.ts";
import type { Output } from "../../output.ts";
import { readConversation } from "../../store/open-store.ts";
import { counted } from "../../terminal/count-text.ts";
import { entryTable } from "../../view/entry-table.ts";

export function run(call: Call): Promise<Result> {
  const [a, b] = [checkBranchName(call.args[1] as string), checkBranchName(call.args[2] as string)];
  return readConversation(call, async (conversation) => {
    await branchOf(conversation, a);
    await branchOf(conversation, b);
    const found = await conversation.compare(a, b);
    const { commonAncestor } = found;
    const shared = commonAncestor === null ? undefined : await ancestor(conversation, a, found);
    return {
      json: { commonAncestor, a: found.a, b: found.b },
      lines: [
        shared === undefined ? "The branches share no entries." : "Both branches share everything up to:",
        ...(shared === undefined ? [] : entryTable(call.out, [shared])),
        ...addedLines(call.out, a, found.a),
        ...addedLines(call.out, b, found.b),
      ],
    };
  });
}

/** The last shared entry: right before the first that only `a` has. */
async function ancestor(
  conversation: Conversation,
  a: string,
  found: Comparison,
): Promise<Entry | undefined> {
  const [first] = found.a;
  const place = first === undefined ? { last: 1 } : { before: first.id, limit: 1 };
  return (await conversation.entries({ branch: a, ...place })).items[0];
}

function addedLines(out: Output, name: string, entries: readonly Entry[]): string[] {
  const heading = out.style("bold", `Only on ${safeLine(name)}`);
  if (entries.length === 0) return ["", `${heading}: nothing`];
  return ["", `${heading}: ${counted(entries.length, "entry")}`, ...entryTable(out, entries)];
}
