import { addVariable, type ConfigBuild, variable } from "../config-build.ts";
import { treeAt } from "../located.ts";
import { expand } from "../variables.ts";

/** Step 6: variables of `env.vars`. The real environment wins, and so does `.env`. */
export function applyEnvVars(build: ConfigBuild): void {
  const vars = treeAt(build.tree, ["env", "vars"]);
  if (vars?.kind !== "object") return;
  for (const [name, tree] of vars.members) {
    if (tree.kind !== "value" || typeof tree.value !== "string") continue;
    const { text, missing } = expand(tree.value, (wanted) => variable(build, wanted));
    // Missing variables are reported by the step that replaces them.
    if (missing.length === 0) addVariable(build, name, text, "env.vars");
  }
}
