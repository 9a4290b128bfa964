import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { branchOf, checkBranchName } from "../../input/branch-name.ts";
import { changeConversation } from "../../store/open-store.ts";
import { counted } from "../../terminal/count-text.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export function run(call: Call): Promise<Result> {
  const name = checkBranchName(call.args[1] as string);
  return changeConversation(call, async (conversation) => {
    const { active, entryCount } = await branchOf(conversation, name);
    await conversation.checkout(name);
    const info = await conversation.info();
    const place = `${active ? "was already" : "is now"} on ${safeLine(name)}`;
    const own = `${counted(entryCount, "entry")} of its own`;
    return { json: { info: infoJson(info) }, lines: [`${nameOf(info)} ${place}, with ${own}`] };
  });
}
