import { ColloquyError } from "../../../errors.ts";
import type { Call, Result } from "../../command.ts";
import { checkReference } from "../../input/reference.ts";
import { trashedAs } from "../../store/in-trash.ts";
import { existing, openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";

export async function run(call: Call): Promise<Result> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  const [trashed] = await trashedAs(call, store, reference);
  if (trashed === undefined) {
    const isInUse = (await existing(call, store, reference)) !== undefined;
    throw new ColloquyError(
      "NOT_FOUND",
      `Conversation ${reference} ${isInUse ? "is not in the trash" : "not found"}`,
    );
  }
  const info = await store.restore(trashed.id);
  return { json: { info: infoJson(info) }, lines: [`${nameOf(info)} was restored`] };
}
