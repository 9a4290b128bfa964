import { checkLabel } from "../../../message/validate.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE, UsageError } from "../../exit.ts";
import { checkEntry, entryIdOf } from "../../input/entry-reference.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const typed = checkEntry(call.args[1] as string);
  const label = labelOf(call);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const entry = await conversation.label(await entryIdOf(conversation, typed), label);
  const info = await conversation.info();
  if (call.json) call.out.json({ info: infoJson(info), entry });
  else {
    const which = `Entry ${safeLine(typed)} of ${nameOf(info)}`;
    call.out.lines([
      label === null ? `${which} no longer has a label` : `${which} now has the label "${safeLine(label)}"`,
    ]);
  }
  return EXIT_DONE;
}

function labelOf({ args, flags }: Call): string | null {
  const text = args[2];
  if (!flags.has("remove")) {
    if (text === undefined) throw new UsageError('"sessions label" requires TEXT, or --remove', "TEXT");
    return checkLabel(text, "TEXT");
  }
  if (text !== undefined) throw new UsageError("TEXT and --remove cannot be given together", "remove");
  return null;
}
