import { ColloquyError } from "../../../errors.ts";
import type { Call, Result } from "../../command.ts";
import { checkReference } from "../../input/reference.ts";
import { trashedAs } from "../../store/in-trash.ts";
import { openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  const isInUse = (await store.get(reference)) !== undefined;
  // A key may be in use and in the trash: the store then says so.
  if (isInUse && (await trashedAs(store, reference)).length === 0) {
    throw new ColloquyError("NOT_FOUND", `Conversation ${reference} is not in the trash`);
  }
  const info = await store.restore(reference);
  return { json: { info: infoJson(info) }, lines: [`${nameOf(info)} was restored`] };
}
