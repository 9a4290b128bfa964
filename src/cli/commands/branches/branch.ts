import { checkLabel } from "../../../message/validate.ts";
import type { Conversation } from "../../../store/conversation.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE, UsageError } from "../../exit.ts";
import { checkEntry, entryIdOf } from "../../input/entry-reference.ts";
import { checkReference } from "../../input/reference.ts";
import { nextCommand, quoted } from "../../invocation.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { branchJson, warningLines } from "../../view/branch-view.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";
import { flattenAdvice } from "../../view/flatten-advice.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const name = call.values.get("name");
  const from = fromOf(call);
  const options = {
    ...(name === undefined ? {} : { name: checkLabel(name, "name") }),
    checkout: call.flags.has("checkout"),
  };
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const { branch, warnings } = await conversation.branch(await startOf(conversation, from), options);
  const info = await conversation.info();
  if (call.json) call.out.json({ info: infoJson(info), branch: branchJson(branch), warnings });
  else {
    const made = `${nameOf(info)} now has a branch ${safeLine(branch.name)} at depth ${branch.depth}`;
    call.out.lines([
      branch.active ? `${made}, which is checked out` : made,
      ...warningLines(call.out, warnings),
    ]);
    if (warnings.length > 0) flattenAdvice(call, reference, [branch]);
    else if (!branch.active) {
      const words = `sessions checkout ${quoted(nameOf(info))} ${quoted(safeLine(branch.name))}`;
      call.out.note(`To switch to it: ${nextCommand(words, call.values)}`);
    }
  }
  return EXIT_DONE;
}

/** An entry as it was typed, `null` for the start, `undefined` for the head. */
function fromOf({ values, flags }: Call): string | null | undefined {
  const from = values.get("from");
  if (!flags.has("from-start")) return from === undefined ? undefined : checkEntry(from);
  if (from !== undefined)
    throw new UsageError("--from and --from-start cannot be given together", "from-start");
  return null;
}

async function startOf(conversation: Conversation, from: string | null | undefined): Promise<string | null> {
  if (from === undefined) return (await conversation.info()).head;
  return from === null ? null : entryIdOf(conversation, from);
}
