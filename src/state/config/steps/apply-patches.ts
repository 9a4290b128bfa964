import { join } from "node:path";
import { parseJson5 } from "../../json5/parse.ts";
import { type ConfigBuild, folderOf, patchFolderOf } from "../config-build.ts";
import { formatPath } from "../config-path.ts";
import { confined } from "../files/confined.ts";
import { readText } from "../files/read-file.ts";
import { stopping } from "../finding.ts";
import { childTree, innerPath, locate, type Tree } from "../located.ts";
import { merge, PATCH_RULES } from "../merge.ts";
import { withVariables } from "./replace-variables.ts";

/** Step 9: merge patches (RFC 7396) from `config.d`, in the order of their names. */
export function applyPatches(build: ConfigBuild): void {
  build.tree = withPatches(build, build.tree, (patch) => withVariables(build, patch));
}

/** A tree with the patches. The login-shell step needs their variables before they are replaced. */
export function withPatches(
  build: ConfigBuild,
  tree: Tree,
  prepare: (patch: Tree) => Tree = (patch) => patch,
): Tree {
  readPatches(build);
  return build.patches.reduce((under, patch) => merge(under, prepare(patch.tree), PATCH_RULES), tree);
}

/** Read them once. */
function readPatches(build: ConfigBuild): void {
  if (build.patches.length > 0) return;
  const folder = patchFolderOf(build);
  for (const name of patchNames(build))
    build.patches.push({ name, tree: readPatch(build, join(folder, name)) });
}

/** In the order in which they apply. */
export function patchNames(build: ConfigBuild): string[] {
  const names = build.reads.list(patchFolderOf(build));
  return names.filter((name) => name.endsWith(".json5") && !name.startsWith(".")).toSorted();
}

function readPatch(build: ConfigBuild, path: string): Tree {
  const { reads, home } = build;
  const file = confined({ reads, home, root: folderOf(build) }, path, folderOf(build));
  // A patch may be a link, and a broken link may be repaired.
  if (file !== path) build.stamps.set(path, reads.stamp(path));
  const nowhere = { path: "", file: path, line: null, column: null };
  if (typeof file !== "string") throw stopping(`patch-${file.problem}`, file.message, nowhere);
  const node = parseJson5(readText(build, file), file);
  const { line, column } = node.start;
  if (node.type !== "object") {
    throw stopping("patch-shape", "A patch must be an object: { … }", { path: "", file, line, column });
  }
  const tree = locate(node, { kind: "patch", file });
  refuseIncludes(tree);
  return tree;
}

/** Includes follow other merge rules than patches. */
function refuseIncludes(tree: Tree): void {
  if (tree.kind === "value") return;
  const include = childTree(tree, "$include");
  if (include !== undefined) {
    const { source, line, column } = include.at;
    const path = formatPath(innerPath(include.at));
    const message = `A patch cannot use $include (at ${path})`;
    throw stopping("patch-include", message, { path, file: source.file, line, column });
  }
  for (const child of tree.kind === "array" ? tree.items : tree.members.values()) refuseIncludes(child);
}
