import { safeLine } from "../../../util/visible-text.ts";
import type { Call } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { access } from "./access.ts";
import { profileJson, sourceText, time } from "./view.ts";

export async function run(call: Call): Promise<number> {
  const { credentials } = await access(call, { needsConfig: false });
  const { profile, ok, problem, warnings } = await credentials.test(call.args[0] as string);
  if (call.json) call.out.json({ ok, problem, warnings, profile: profileJson(profile) });
  else {
    const expires = profile.expiresAt === null ? "" : `, expires ${time(profile.expiresAt)}`;
    const well = `${profile.id} can be used: ${sourceText(profile)}${profile.masked === null ? "" : `, ${profile.masked}`}${expires}`;
    const lines = [ok ? well : `${profile.id} cannot be used: ${problem}`, ...warnings];
    call.out.lines(lines.map(safeLine));
  }
  return ok ? EXIT_DONE : EXIT_PROBLEMS;
}
