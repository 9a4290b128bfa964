import type { Call } from "../../command.ts";
import { EXIT_DONE } from "../../exit.ts";
import { nextCommand } from "../../invocation.ts";
import { access, warn } from "./access.ts";
import { profileJson, profileTable } from "./view.ts";

export async function run(call: Call): Promise<number> {
  const { credentials } = await access(call, { needsConfig: false });
  const { profiles, order, problems } = await credentials.report();
  for (const problem of problems) warn(call, problem);
  if (call.json) call.out.json({ profiles: profiles.map(profileJson), order, problems });
  else if (profiles.length > 0) call.out.lines(profileTable(call.out, profiles, Date.now()));
  else {
    call.out.lines(["No credentials yet."]);
    call.out.note(`To add a key: ${nextCommand("auth add anthropic", call.values)}`);
  }
  return EXIT_DONE;
}
