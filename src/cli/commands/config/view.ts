/** How the commands about the config report problems. */
import { type ColloquyError, invalid } from "../../../errors.ts";
import { type Finding, findingText } from "../../../state/config/finding.ts";
import type { Call } from "../../command.ts";
import { report } from "../../output.ts";

/** Notes that every command reports; others are left to `config validate`. */
const REPORTED: ReadonlySet<string> = new Set(["permissions", "adopted", "login-shell"]);

export function reportFindings(call: Call, findings: readonly Finding[]): void {
  for (const found of findings) {
    if (found.severity !== "info" || REPORTED.has(found.code)) {
      reportText(call, findingText(found), found.path);
    }
  }
}

export function reportText({ json }: Call, text: string, path: string): void {
  report("warning", invalid(text, path || "config"), json);
}

/** The file was read, but a setting in it is wrong or lacks a variable. */
export function isWrongValue({ details }: ColloquyError): boolean {
  const { findings = [] } = (details ?? {}) as { readonly findings?: readonly Finding[] };
  return findings.some(({ code }) => code === "wrong-value" || code === "missing-variable");
}
