import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { access } from "./access.ts";

export async function run(call: Call): Promise<number> {
  const id = call.args[0] as string;
  const { credentials } = await access(call, { needsConfig: false });
  await credentials.remove(id);
  if (call.json) call.out.json({ removed: id });
  else call.out.lines([`Removed ${id}.`]);
  return EXIT_DONE;
}
