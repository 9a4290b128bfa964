import { quoted, safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { changeConversation } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export function run(call: Call): Promise<Result> {
  return changeConversation(call, async (conversation) => {
    const before = await conversation.branches();
    await conversation.flatten();
    const info = await conversation.info();
    const name = nameOf(info);
    const json = { info: infoJson(info) };
    const known = new Set(before.map((branch) => branch.name));
    const former = (await conversation.branches()).find((branch) => !known.has(branch.name));
    if (former === undefined) return { json, lines: [`${name} is already on main; nothing to flatten`] };
    const path = safeLine(before.find(({ active }) => active)?.name ?? "main");
    const now = `${path} is now main, and the previous main is now ${safeLine(former.name)}`;
    const words = `sessions prune ${quoted(name)} --name ${quoted(safeLine(former.name))}`;
    return {
      json,
      lines: [`${name} is flattened: ${now}`],
      notes: [`${safeLine(former.name)} stays until you prune it: ${nextCommand(words, call.values)}`],
    };
  });
}
