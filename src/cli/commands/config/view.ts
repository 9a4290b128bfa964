/** How the commands about the config show settings and report problems. */
import { invalid } from "../../../errors.ts";
import { redactSecrets } from "../../../secrets/redact-secrets.ts";
import type { LoadedConfig } from "../../../state/config/config-build.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
import { secretsOf, withoutSecrets } from "../../../state/config/secrets.ts";
import type { Path } from "../../../state/json5/nodes.ts";
import type { Json } from "../../../util/json.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";

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
export function shown(config: LoadedConfig, value: Json, path: Path): Json {
  const masked = withoutSecrets(value, path);
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
