import type { ConfigBuild } from "../config-build.ts";
import { type Tree, treeOf } from "../located.ts";
import type { Field, ObjectField } from "../schema/field.ts";
import { ROOT } from "../schema/index.ts";

/** Step 12: defaults for settings that are not set. */
export function applyDefaults(build: ConfigBuild): void {
  build.final = withDefaults(build.tree, ROOT) ?? build.tree;
}

/** The tree with the defaults of the schema. */
function withDefaults(tree: Tree | undefined, field: Field): Tree | undefined {
  if (tree === undefined && field.default !== undefined) {
    return treeOf(field.default, { kind: "default", file: null });
  }
  if (field.type !== "object" || (tree !== undefined && tree.kind !== "object")) return tree;
  return withMembers(tree, field);
}

function withMembers(tree: Tree | undefined, field: ObjectField): Tree | undefined {
  const members = new Map(tree?.kind === "object" ? tree.members : []);
  for (const [key, member] of Object.entries(field.members)) {
    const value = withDefaults(members.get(key), member);
    if (value !== undefined) members.set(key, value);
  }
  if (tree !== undefined) return { ...tree, members } as Tree;
  if (members.size === 0) return undefined;
  const [{ at }] = [...members.values()] as [Tree];
  return { kind: "object", members, at };
}
