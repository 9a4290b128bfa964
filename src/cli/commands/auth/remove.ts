import type { Call, Result } from "../../command.ts";
import { access } from "./access.ts";

export async function run(call: Call): Promise<Result> {
  const id = call.args[0] as string;
  const { credentials } = await access(call, "syntax");
  await credentials.remove(id);
  return { json: { removed: id }, lines: [`Removed ${id}.`] };
}
