import type { ConfigBuild } from "../config-build.ts";
import { configError, finding } from "../finding.ts";
import { check } from "../schema/check.ts";
import { ROOT, SECTIONS } from "../schema/index.ts";

/** Step 11: wrong values end the loading; unknown and unused keys are told. */
export function validate(build: ConfigBuild): void {
  const missing = new Set(
    build.findings.filter(({ severity }) => severity === "error").map(({ path }) => path),
  );
  // What lacks its variable has been reported, and is no more than a placeholder.
  build.findings.push(...check(build.tree, ROOT).filter(({ path }) => !missing.has(path)));
  if (build.tree.kind === "object") {
    for (const [name, { at }] of build.tree.members) {
      if (SECTIONS[name]?.used !== false) continue;
      const message = `Nothing uses the section "${name}" yet; it is kept`;
      build.findings.push(finding("info", "unused-section", message, [name], at));
    }
  }
  const errors = build.findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0 && build.options.tolerant !== true) throw configError(errors);
}
