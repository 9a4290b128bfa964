import { type CredentialKind, KINDS } from "../../../state/credentials/index.ts";
import { parseTime } from "../../../util/time.ts";
import type { Call, Result } from "../../command.ts";
import { UsageError } from "../../exit.ts";
import { nextCommand } from "../../invocation.ts";
import { access, warn } from "./access.ts";
import { givenSecret } from "./secret.ts";
import { profileJson, sourceText } from "./view.ts";

export async function run(call: Call): Promise<Result> {
  const [provider = "", name] = call.args;
  const kind = givenKind(call);
  const expiresAt = givenExpiry(call, kind);
  const given = await givenSecret(call, kind);
  const { credentials } = await access(call, "syntax");
  const replace = call.flags.has("replace");
  const { id } = await credentials.add({
    provider,
    kind,
    name,
    replace,
    ...given,
    expiresAt: expiresAt ?? given.expiresAt,
  });
  // Tested at once, because a mistake is easiest to correct now.
  const { profile, problem, warnings } = await credentials.test(id);
  if (problem !== null) warn(call, `The secret of ${id} cannot be used yet: ${problem}`);
  for (const doubt of warnings) warn(call, `${doubt}: check that ${id} has the right secret`);
  const masked = profile.masked === null ? "" : `, ${profile.masked}`;
  return {
    json: { profile: profileJson(profile) },
    lines: [`Added ${id}: ${kind}, ${sourceText(profile)}${masked}`],
    notes: [`To list all: ${nextCommand("auth list", call.values)}`],
  };
}

function givenKind(call: Call): CredentialKind {
  const typed = call.values.get("kind") ?? "api-key";
  const kind = KINDS.find((known) => known === typed);
  if (kind === undefined) throw new UsageError(`--kind must be one of ${KINDS.join(", ")}`, "kind");
  return kind;
}

function givenExpiry(call: Call, kind: CredentialKind): number | undefined {
  const typed = call.values.get("expires");
  if (typed === undefined) return undefined;
  const ms = parseTime(typed);
  if (ms === undefined)
    throw new UsageError("--expires must be a time such as 2027-01-31T00:00:00Z", "expires");
  if (kind !== "token" && kind !== "oauth")
    throw new UsageError(
      `--expires requires --kind token or oauth; an ${kind} profile does not expire`,
      "expires",
    );
  return ms;
}
