import { invalid } from "../../../errors.ts";
import { isInvisible } from "../../../message/title.ts";
import { checkTitle } from "../../../message/validate.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { changeConversation } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export function run(call: Call): Promise<Result> {
  const typed = call.args[1] as string;
  if (typed !== "" && isInvisible(typed)) throw invalid('Title must not be blank; "" removes it', "title");
  const title = typed === "" ? null : checkTitle(typed);
  return changeConversation(call, async (conversation) => {
    const info = await conversation.update({ title });
    const now = info.title === null ? "no longer has a title" : `is now called "${safeLine(info.title)}"`;
    return { json: { info: infoJson(info) }, lines: [`${nameOf(info)} ${now}`] };
  });
}
