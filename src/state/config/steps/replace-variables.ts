import type { Path } from "../../json5/nodes.ts";
import { type ConfigBuild, type Unreplaced, variable } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { FINDINGS_MAX, type Finding, finding } from "../finding.ts";
import { mapTree, type Place, someTree, type Tree, type TreeValue } from "../located.ts";
import { expand } from "../variables.ts";

/** Step 8: replace every `${VAR}`. A missing variable is an error at its path, unless a later step replaces the value. */
export function replaceVariables(build: ConfigBuild): void {
  build.tree = withVariables(build, build.tree);
}

export function withVariables(build: ConfigBuild, tree: Tree, path: string[] = []): Tree {
  if (tree.kind === "value") {
    const refers = typeof tree.value === "string" && tree.value.includes(`\${`);
    return refers ? replaced(build, tree, path) : tree;
  }
  return mapTree(tree, (child, key) => {
    // One shared array: the path is needed only where something is found.
    path.push(key);
    const now = withVariables(build, child, path);
    path.pop();
    return now;
  });
}

function replaced(build: ConfigBuild, tree: TreeValue, path: Path): Tree {
  const { text, used, missing, lower } = expand(tree.value as string, (name) => variable(build, name));
  const at: Place = used.length === 0 ? tree.at : { ...tree.at, variables: used };
  if (missing.length + lower.length > 0) build.unreplaced.set(at, { path: [...path], missing, lower });
  return { ...tree, value: text, at };
}

/** About the values that no patch and no override has replaced. */
export function unreplacedFindings(build: ConfigBuild): Finding[] {
  const found: Finding[] = [];
  if (build.unreplaced.size === 0) return found;
  someTree(build.tree, ({ at }) => {
    const left = build.unreplaced.get(at);
    if (left !== undefined) found.push(...findingsOf(left, at));
    return found.length >= FINDINGS_MAX;
  });
  return found.slice(0, FINDINGS_MAX);
}

function findingsOf({ path, missing, lower }: Unreplaced, at: Place): Finding[] {
  const place = formatPath(path);
  const lacks = [...new Set(missing)].map((name) => {
    const message = `${place} needs the variable ${name}, which is missing or empty: set it, or add it to .env`;
    return finding("error", "missing-variable", message, path, at);
  });
  const odd = [...new Set(lower)].map((name) => {
    const message = `\${${name}} in ${place} is not replaced: variable names are upper case`;
    return finding("warning", "lower-case-variable", message, path, at);
  });
  return [...lacks, ...odd];
}
