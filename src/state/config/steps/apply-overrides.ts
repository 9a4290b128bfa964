import type { ConfigBuild } from "../config-build.ts";
import type { Tree } from "../located.ts";
import { merge } from "../merge.ts";
import { overrideTree } from "../override.ts";

/** Step 10: values from the command line override every file. */
export function applyOverrides(build: ConfigBuild): void {
  build.tree = withOverrides(build, build.tree);
}

export function withOverrides({ options: { overrides = [] } }: ConfigBuild, tree: Tree): Tree {
  return overrides.reduce(
    (under, override) => merge(under, overrideTree(override), { lists: "replace", nulls: "keep" }),
    tree,
  );
}
