import type { Path } from "../../json5/nodes.ts";
import { type ConfigBuild, variable } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { finding } from "../finding.ts";
import { mapTree, type Tree, type TreeValue } from "../located.ts";
import { expand } from "../variables.ts";

/** Step 8: replace every `${VAR}`. A missing variable is an error at its path. */
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
  const written = tree.value as string;
  const { text, used, missing, lower } = expand(written, (name) => variable(build, name));
  const place = formatPath(path);
  for (const name of new Set(missing)) {
    const message = `${place} needs the variable ${name}, which is missing or empty: set it, or add it to .env`;
    build.findings.push(finding("error", "missing-variable", message, path, tree.at));
  }
  for (const name of new Set(lower)) {
    const message = `\${${name}} in ${place} is not replaced: variable names are upper case`;
    build.findings.push(finding("warning", "lower-case-variable", message, path, tree.at));
  }
  return { ...tree, value: text, at: used.length === 0 ? tree.at : { ...tree.at, variables: used } };
}
