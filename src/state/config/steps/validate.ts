import { type ConfigBuild, isUsed } from "../config-build.ts";
import { configError, finding } from "../finding.ts";
import { check } from "../schema/check.ts";
import { ROOT, SECTIONS } from "../schema/index.ts";
import { unreplacedFindings } from "./replace-variables.ts";

/** Step 11: wrong values in used sections stop loading; unknown keys and unused sections are reported. */
export function validate(build: ConfigBuild): void {
  build.findings.push(...unreplacedFindings(build));
  const missing = new Set(
    build.findings.filter(({ severity }) => severity === "error").map(({ path }) => path),
  );
  // A value whose variable is missing has been reported already.
  build.findings.push(...check(build.tree, ROOT).filter(({ path }) => !missing.has(path)));
  if (build.tree.kind === "object") {
    for (const [name, { at }] of build.tree.members) {
      if (SECTIONS[name]?.used !== false) continue;
      const message = `The section "${name}" is not used yet; it is kept`;
      build.findings.push(finding("info", "unused-section", message, [name], at));
    }
  }
  const errors = build.findings.filter(({ severity, path }) => severity === "error" && isUsed(build, path));
  if (errors.length > 0 && build.options.tolerant !== true) throw configError(errors);
}
