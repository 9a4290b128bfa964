/** How the commands about the config show settings and report problems. */
import { invalid } from "../../../errors.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
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
