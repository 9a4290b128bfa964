import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { checkReference } from "../../input/reference.ts";
import { nextCommand, quoted } from "../../invocation.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const before = await conversation.branches();
  await conversation.flatten();
  const info = await conversation.info();
  if (call.json) call.out.json({ info: infoJson(info) });
  else {
    const known = new Set(before.map(({ name }) => name));
    const former = (await conversation.branches()).find(({ name }) => !known.has(name));
    const path = before.find(({ active }) => active)?.name ?? "main";
    if (former === undefined) call.out.lines([`${nameOf(info)} is already on main; nothing to flatten`]);
    else {
      call.out.lines([
        `${nameOf(info)} is flattened: ${safeLine(path)} is now main, and the previous main is now ${safeLine(former.name)}`,
      ]);
      const prune = nextCommand(`sessions prune ${quoted(nameOf(info))} --abandoned --dry-run`, call.values);
      call.out.note(`The other branches stay until you prune them: ${prune}`);
    }
  }
  return EXIT_DONE;
}
