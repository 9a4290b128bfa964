import type { ConfigBuild } from "../config-build.ts";
import { type Tree, treeOf } from "../located.ts";
import { merge } from "../merge.ts";

/** Step 10: values from the command line override every file. */
export function applyOverrides(build: ConfigBuild): void {
  for (const { path, value } of build.options.overrides ?? []) {
    const source = { kind: "override", file: null } as const;
    let over: Tree = treeOf(value, source);
    for (const key of path.toReversed()) {
      over = { kind: "object", members: new Map([[key, over]]), at: over.at };
    }
    build.tree = merge(build.tree, over, { lists: "replace", nulls: "keep" });
  }
}
