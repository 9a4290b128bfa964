import { checkLabel } from "../../../message/validate.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { checkEntry, entryIdOf } from "../../input/entry-reference.ts";
import { changeConversation } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export function run(call: Call): Promise<Result> {
  const typed = checkEntry(call.args[1] as string);
  const label = labelOf(call);
  return changeConversation(call, async (conversation) => {
    const entry = await conversation.label(await entryIdOf(conversation, typed), label);
    const info = await conversation.info();
    const now = label === null ? "no longer has a label" : `now has the label "${safeLine(label)}"`;
    return {
      json: { info: infoJson(info), entry },
      lines: [`Entry ${safeLine(typed)} of ${nameOf(info)} ${now}`],
    };
  });
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
