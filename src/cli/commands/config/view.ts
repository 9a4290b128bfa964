/** How the commands about the config report problems. */
import { type ColloquyError, invalid } from "../../../errors.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";

/** Notes that every command reports; others are left to `config validate`. */
const REPORTED: ReadonlySet<string> = new Set(["permissions", "adopted", "login-shell"]);

export function reportFindings({ json }: Call, findings: readonly Finding[]): void {
  for (const found of findings) {
    if (found.severity !== "info" || REPORTED.has(found.code)) tell(found, json);
  }
}

/** The file was read, but a setting in it is wrong or lacks a variable. */
export function isWrongValue({ details }: ColloquyError): boolean {
  const { findings = [] } = (details ?? {}) as { readonly findings?: readonly Finding[] };
  return findings.some(({ code }) => code === "wrong-value" || code === "missing-variable");
}

function tell(found: Finding, json: boolean): void {
  report("warning", invalid(findingText(found), found.path || "config"), json);
}
