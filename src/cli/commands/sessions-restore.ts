import { ColloquyError, invalid } from "../../errors.ts";
import type { Call } from "../command.ts";
import { infoJson, nameOf } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { nextCommand } from "../invocation.ts";
import { openToChange } from "../open-store.ts";
import { checkId } from "../reference.ts";

export async function run(call: Call): Promise<number> {
  const id = idOf(call);
  await using store = await openToChange(call, id);
  if ((await store.get(id)) !== undefined) {
    throw new ColloquyError("NOT_FOUND", `Conversation ${id} is not in the trash`);
  }
  const info = await store.restore(id);
  if (call.json) call.out.json({ info: infoJson(info) });
  else call.out.lines([`${nameOf(info)} is back`]);
  return EXIT_DONE;
}

/** A deleted conversation has given up its session key, so that several may have had the same. */
function idOf({ args, values }: Call): string {
  const text = args[0] as string;
  if (!text.includes(":")) return checkId(text);
  const list = nextCommand("sessions list --trash", values);
  throw invalid(`"${text}" is a session key; what is in the trash is named by its id. See ${list}`, "id");
}
