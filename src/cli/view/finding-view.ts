/** Damage as text and as JSON. */
import { countFindings } from "../../engine/findings.ts";
import { unavailable } from "../../errors.ts";
import type { Finding } from "../../store/index.ts";
import type { Call } from "../command.ts";
import { report } from "../output.ts";

const FINDINGS_SHOWN = 5;

export function findingJson(finding: Finding): Record<string, unknown> {
  const { code, conversation, source, line, message, count = 1 } = finding;
  return { code, conversation, source, line, message, count };
}

/** The file, line and conversation, if known. */
export function placeOf({ source, line, conversation }: Finding): string {
  const place = [source ?? "", line === null ? "" : `line ${line}`].filter((part) => part !== "").join(", ");
  return conversation === null ? place : `${place} (conversation ${conversation})`.trimStart();
}

/** Report the damage of a copy on standard error. */
export function warnOfDamage({ json }: Call, what: string, findings: readonly Finding[], more: string): void {
  const warn = (text: string): void => report("warning", unavailable(text), json);
  for (const finding of findings.slice(0, FINDINGS_SHOWN)) {
    const place = placeOf(finding);
    warn(`${what}: ${finding.message}${place === "" ? "" : ` – ${place}`}`);
  }
  const others = countFindings(findings.slice(FINDINGS_SHOWN));
  if (others > 0) warn(`${what}: ${others} more problems. To see all: ${more}`);
}
