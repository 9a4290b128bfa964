/** What to do about the findings of `validate`. */
import type { Finding } from "../store/index.ts";
import type { Fix } from "./finding.ts";

export const REPAIR: Fix = {
  text: "Back up the store, then repair it. Nothing readable is lost by it",
  command: ["sessions", "validate", "--repair"],
};

const CIRCLES: Fix = {
  text: "Its messages can be read. To leave out such findings",
  command: ["config", "set", "sessions.tree.allow_circular_references", "true"],
};

/** A repair helps against damage only: branches and parents are as somebody wrote them. */
export function storeFixes(findings: readonly Finding[]): (finding: Finding) => Fix {
  const deepest = (wanted: string): string => {
    const depths = findings
      .filter(({ code }) => code === wanted)
      .map(({ message }) => Number(/depth (\d+)/.exec(message)?.[1] ?? 0));
    return String(Math.max(0, ...depths));
  };
  const fixes: Readonly<Record<string, Fix>> = {
    "deep-branch": {
      text: "Check it out and flatten the conversation, or allow this depth",
      command: ["config", "set", "sessions.tree.max_depth", deepest("deep-branch")],
    },
    "branch-depth": {
      text: "Check it out and flatten the conversation, or be warned later",
      command: ["config", "set", "sessions.tree.warning_depth", deepest("branch-depth")],
    },
    cycle: CIRCLES,
  };
  return ({ code }) => fixes[code] ?? REPAIR;
}
