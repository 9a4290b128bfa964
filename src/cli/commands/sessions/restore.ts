import { ColloquyError, invalid } from "../../../errors.ts";
import type { Store } from "../../../store/store.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { checkReference } from "../../input/reference.ts";
import { openToChange } from "../../store/open-store.ts";
import { infoJson, nameOf } from "../../view/conversation-view.ts";
import { trashedAs, wayBack } from "../../view/in-trash.ts";

export async function run(call: Call): Promise<number> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  if ((await store.get(reference)) !== undefined) {
    throw new ColloquyError("NOT_FOUND", `Conversation ${reference} is not in the trash`);
  }
  if (reference.includes(":")) throw await needsId(call, store, reference);
  const info = await store.restore(reference);
  if (call.json) call.out.json({ info: infoJson(info) });
  else call.out.lines([`${nameOf(info)} was restored`]);
  return EXIT_DONE;
}

/** A deleted conversation has released its session key, so several may have had the same one. */
async function needsId(call: Call, store: Store, key: string): Promise<ColloquyError> {
  const back = wayBack(call, await trashedAs(store, key));
  return invalid(`"${key}" is a session key; conversations in the trash are restored by id: ${back}`, "id");
}
