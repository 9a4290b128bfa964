import type { Call, Result } from "../../command.ts";
import { nextCommand } from "../../invocation.ts";
import { access, warn } from "./access.ts";
import { profileJson, profileTable } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const { credentials } = await access(call, "nothing");
  const { profiles, order, problems } = await credentials.report();
  for (const problem of problems) warn(call, problem);
  const json = { profiles: profiles.map(profileJson), order, problems };
  if (profiles.length > 0) return { json, lines: profileTable(call.out, profiles, Date.now()) };
  const add = nextCommand("auth add anthropic", call.values);
  return { json, lines: ["No credentials yet."], notes: [`To add a key: ${add}`] };
}
