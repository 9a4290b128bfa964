import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { branchOf, checkBranchName } from "../../input/branch-name.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { counted } from "../../terminal/count-text.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const name = checkBranchName(call.args[1] as string);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const { active, entryCount } = await branchOf(conversation, name);
  await conversation.checkout(name);
  const info = await conversation.info();
  if (call.json) call.out.json({ info: infoJson(info) });
  else {
    const own = `${counted(entryCount, "entry")} of its own`;
    call.out.lines([
      `${nameOf(info)} ${active ? "was already" : "is now"} on ${safeLine(name)}, with ${own}`,
    ]);
  }
  return EXIT_DONE;
}
