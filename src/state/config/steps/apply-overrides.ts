import type { Draft } from "../config-build.ts";
import { type Tree, treeOf } from "../located.ts";
import { merge } from "../merge.ts";

/** Step 10: what was said on the command line wins over every file. */
export function applyOverrides(draft: Draft): void {
  for (const { path, value } of draft.options.overrides ?? []) {
    const source = { kind: "override", file: null } as const;
    let over: Tree = treeOf(value, source);
    for (const key of path.toReversed()) {
      over = { kind: "object", members: new Map([[key, over]]), at: over.at };
    }
    draft.tree = merge(draft.tree, over, { lists: "replace", nulls: "keep" });
  }
}
