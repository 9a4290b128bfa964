import type { Draft } from "../config-build.ts";
import { configError, finding } from "../finding.ts";
import { check } from "../schema/check.ts";
import { ROOT, SECTIONS } from "../schema/index.ts";

/** Step 11: wrong values end the loading; unknown and unused keys are told. */
export function validate(draft: Draft): void {
  const missing = new Set(
    draft.findings.filter(({ severity }) => severity === "error").map(({ path }) => path),
  );
  // What lacks its variable has been reported, and is no more than a placeholder.
  draft.findings.push(...check(draft.tree, ROOT).filter(({ path }) => !missing.has(path)));
  if (draft.tree.kind === "object") {
    for (const [name, { at }] of draft.tree.members) {
      if (SECTIONS[name]?.used !== false) continue;
      const message = `Nothing uses the section "${name}" yet; it is kept`;
      draft.findings.push(finding("info", "unused-section", message, [name], at));
    }
  }
  const errors = draft.findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0 && draft.options.tolerant !== true) throw configError(errors);
}
