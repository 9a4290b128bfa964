import { checkLabel } from "../../../message/validate.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { checkEntry, entryIdOf } from "../../input/entry-reference.ts";
import { nextCommand } from "../../invocation.ts";
import { changeConversation } from "../../store/open-store.ts";
import { branchJson, warningLines } from "../../view/branch-view.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";
import { flattenAdvice } from "../../view/flatten-advice.ts";

export function run(call: Call): Promise<Result> {
  const { values, flags, out } = call;
  const [name, from] = [values.get("name"), values.get("from")];
  const start = flags.has("from-start") ? null : from === undefined ? undefined : checkEntry(from);
  const options = {
    name: name === undefined ? undefined : checkLabel(name, "name"),
    checkout: flags.has("checkout"),
  };
  return changeConversation(call, async (conversation) => {
    const { branch, warnings } = await conversation.branch(await startOf(conversation, start), options);
    const info = await conversation.info();
    const made = `${nameOf(info)} now has a branch ${safeLine(branch.name)} at depth ${branch.depth}`;
    const words = `sessions checkout ${quoted(nameOf(info))} ${quoted(safeLine(branch.name))}`;
    const checkout = branch.active ? [] : [`To switch to it: ${nextCommand(words, values)}`];
    return {
      json: { info: infoJson(info), branch: branchJson(branch), warnings },
      lines: [branch.active ? `${made}, which is checked out` : made, ...warningLines(out, warnings)],
      notes: warnings.length > 0 ? flattenAdvice(call, nameOf(info), [branch]) : checkout,
    };
  });
}

/** After an entry as it was typed, at the start (`null`), or at the head. */
async function startOf(conversation: Conversation, from: string | null | undefined): Promise<string | null> {
  if (from === undefined) return (await conversation.info()).head;
  return from === null ? null : entryIdOf(conversation, from);
}
