import { checkTitle } from "../../message/validate.ts";
import type { Call } from "../command.ts";
import { infoJson, nameOf } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { conversationOf, openToChange } from "../open-store.ts";
import { checkReference } from "../reference.ts";
import { safeLine } from "../safe-text.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const title = checkTitle(call.args[1]);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const info = await conversation.update({ title: title === "" ? null : title });
  if (call.json) call.out.json({ info: infoJson(info) });
  else if (info.title === null) call.out.lines([`${nameOf(info)} has no title now`]);
  else call.out.lines([`${nameOf(info)} is now called "${safeLine(info.title)}"`]);
  return EXIT_DONE;
}
