import { checkTitle } from "../../../message/validate.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { checkReference } from "../../input/reference.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  const title = checkTitle(call.args[1]);
  await using store = await openToChange(call, reference);
  const conversation = await conversationOf(call, store, reference);
  const info = await conversation.update({ title: title === "" ? null : title });
  if (call.json) call.out.json({ info: infoJson(info) });
  else if (info.title === null) call.out.lines([`${nameOf(info)} no longer has a title`]);
  else call.out.lines([`${nameOf(info)} is now called "${safeLine(info.title)}"`]);
  return EXIT_DONE;
}
