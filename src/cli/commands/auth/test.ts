import { safeLine } from "../../../util/visible-text.ts";
import type { Call, Result } from "../../command.ts";
import { EXIT_DONE, EXIT_PROBLEMS } from "../../exit.ts";
import { access } from "./access.ts";
import { profileJson, sourceText, time } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const { credentials } = await access(call, "nothing");
  const { profile, ok, problem, warnings } = await credentials.test(call.args[0] as string);
  const masked = profile.masked === null ? "" : `, ${profile.masked}`;
  const expires = profile.expiresAt === null ? "" : `, expires ${time(profile.expiresAt)}`;
  const state = ok ? `can be used: ${sourceText(profile)}${masked}${expires}` : `cannot be used: ${problem}`;
  return {
    json: { ok, problem, warnings, profile: profileJson(profile) },
    lines: [`${profile.id} ${state}`, ...warnings].map(safeLine),
    exit: ok ? EXIT_DONE : EXIT_PROBLEMS,
  };
}
