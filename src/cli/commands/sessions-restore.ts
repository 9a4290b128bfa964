import type { Call } from "../command.ts";
import { infoJson, nameOf } from "../conversation-view.ts";
import { EXIT_DONE } from "../exit.ts";
import { openToChange } from "../open-store.ts";
import { checkId } from "../reference.ts";

export async function run(call: Call): Promise<number> {
  const id = checkId(call.args[0] as string);
  await using store = await openToChange(call, id);
  const info = await store.restore(id);
  if (call.json) call.out.json({ info: infoJson(info) });
  else call.out.lines([`${nameOf(info)} is back`]);
  return EXIT_DONE;
}
