import { absolute } from "../../folder.ts";
import { type ConfigBuild, folderOf } from "../config-build.ts";
import { mapTree, type Tree } from "../located.ts";
import type { Field } from "../schema/field.ts";
import { childField } from "../schema/field-at.ts";
import { ROOT } from "../schema/index.ts";

/** Step 13: make paths absolute. */
export function resolvePaths(build: ConfigBuild): void {
  build.final = withPaths(build.final, ROOT, { home: build.home, folder: folderOf(build) });
}

interface PathRules {
  readonly home: string;
  /** The base of relative paths in files. */
  readonly folder: string;
}

/** `~` is the home folder. Other paths are relative to the config, or for overrides to the working directory. */
function withPaths(tree: Tree, field: Field | undefined, rules: PathRules): Tree {
  if (field === undefined || field.type === "any") return tree;
  if (tree.kind === "value") {
    if (field.type !== "path" || typeof tree.value !== "string" || tree.value === "") return tree;
    const from = tree.at.source.kind === "override" ? process.cwd() : rules.folder;
    return { ...tree, value: absolute(tree.value, rules.home, from) };
  }
  return mapTree(tree, (child, key) => withPaths(child, childField(field, key), rules));
}
