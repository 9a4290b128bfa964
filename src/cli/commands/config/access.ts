/** What the commands about the config have in common. */
import { invalid } from "../../../errors.ts";
import type { ConfigOptions, LoadedConfig, Override } from "../../../state/config/config-build.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
import { secretsOf, withoutSecrets } from "../../../state/config/secrets.ts";
import { resolveStateDir } from "../../../state/folder.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import type { Json } from "../../../util/json.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";

/** The config that a command line is about. */
export async function configOptions({ values, lists }: Call): Promise<ConfigOptions> {
  const home = process.getBuiltinModule("node:os").homedir();
  const profile = values.get("profile");
  return {
    stateDir: resolveStateDir({ flag: values.get("state-dir"), profile, env: process.env, home }),
    home,
    // A profile is a place of its own, and takes nothing from elsewhere.
    adopt: profile === undefined,
    overrides: await overridesOf(lists.get("set") ?? []),
  };
}

async function overridesOf(typed: readonly string[]): Promise<Override[]> {
  if (typed.length === 0) return [];
  const { overrideOf } = await import("../../../state/config/value-text.ts");
  return typed.map(overrideOf);
}

/** Told on standard error before the answer. What only concerns a check of the config is left to that. */
const TOLD: ReadonlySet<string> = new Set(["permissions", "adopted", "login-shell"]);

export function tellNotices({ json }: Call, findings: readonly Finding[]): void {
  for (const found of findings) {
    if (found.severity !== "info" || TOLD.has(found.code)) tell(found, json);
  }
}

function tell(found: Finding, json: boolean): void {
  report("warning", invalid(findingText(found), found.path || "config"), json);
}

/** A value as it may be seen: without what is known to be a secret, and without what looks like one. */
export async function shown(config: LoadedConfig, value: Json, path: Path): Promise<Json> {
  const masked = withoutSecrets(value, path);
  if (!hasText(masked)) return masked;
  const { redactSecrets } = await import("../../../secrets/redact-secrets.ts");
  const known = secretsOf(config);
  const redact = (part: Json): Json => {
    if (typeof part === "string")
      return part.length < TEXT_CHARS_MIN ? part : redactSecrets(part, known).text;
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(redact);
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, redact(member as Json)]));
  };
  return redact(masked);
}

/** Nothing shorter is a secret that could be told from a word. */
const TEXT_CHARS_MIN = 12;

function hasText(value: Json): boolean {
  if (typeof value === "string") return value.length >= TEXT_CHARS_MIN;
  return (
    typeof value === "object" && value !== null && Object.values(value).some((part) => hasText(part as Json))
  );
}
