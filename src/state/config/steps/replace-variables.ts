import type { Path } from "../../json5/nodes.ts";
import { type Draft, variable } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { finding } from "../finding.ts";
import { mapTree, type Tree, type TreeValue } from "../located.ts";
import { expand } from "../variables.ts";

/** Step 8: every `${VAR}` gives way to its value. A missing one is an error at its path. */
export function replaceVariables(draft: Draft): void {
  draft.tree = withVariables(draft, draft.tree);
}

export function withVariables(draft: Draft, tree: Tree, path: string[] = []): Tree {
  if (tree.kind === "value") {
    const refers = typeof tree.value === "string" && tree.value.includes(`\${`);
    return refers ? replaced(draft, tree, path) : tree;
  }
  return mapTree(tree, (child, key) => {
    // One path for all: it is written down only where something is found.
    path.push(key);
    const now = withVariables(draft, child, path);
    path.pop();
    return now;
  });
}

function replaced(draft: Draft, tree: TreeValue, path: Path): Tree {
  const written = tree.value as string;
  const { text, used, missing, lower } = expand(written, (name) => variable(draft, name));
  const place = formatPath(path);
  for (const name of new Set(missing)) {
    const message = `${place} needs the variable ${name}, which is missing or empty: set it, or put it into .env`;
    draft.findings.push(finding("error", "missing-variable", message, path, tree.at));
  }
  for (const name of new Set(lower)) {
    const message = `\${${name}} in ${place} stays as text: only names in capital letters are variables`;
    draft.findings.push(finding("warning", "lower-case-variable", message, path, tree.at));
  }
  return { ...tree, value: text, at: used.length === 0 ? tree.at : { ...tree.at, variables: used } };
}
