import type { Call, Result } from "../../command.ts";
import { checkReference } from "../../input/reference.ts";
import { nextCommand } from "../../invocation.ts";
import { conversationOf, openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  const { id } = await conversationOf(call, store, reference);
  const info = await store.delete(id);
  return {
    json: { info: infoJson(info) },
    lines: [`${nameOf(info)} moved to the trash`],
    notes: [`To restore it: ${nextCommand(`sessions restore ${info.id}`, call.values)}`],
  };
}
