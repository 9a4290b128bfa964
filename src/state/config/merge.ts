import { invalid } from "../../errors.ts";
import { isPrototypeKey } from "../json5/nodes.ts";
import type { Tree, TreeObject } from "./located.ts";

export interface MergeRules {
  /** How two lists are merged. */
  readonly lists: "join" | "replace";
  /** The meaning of a `null` in the upper tree. */
  readonly nulls: "keep" | "remove";
}

/** For an include and the keys beside it. */
export const INCLUDE_RULES: MergeRules = { lists: "join", nulls: "keep" };
/** RFC 7396. */
export const PATCH_RULES: MergeRules = { lists: "replace", nulls: "remove" };

/**
 * Merge one tree over another: objects are merged, everything else is replaced.
 *
 * The only function that merges config. It refuses prototype keys, wherever
 * the tree comes from.
 */
export function merge(base: Tree | undefined, over: Tree, rules: MergeRules): Tree {
  if (base === undefined && rules.nulls === "keep") return checked(over);
  if (over.kind === "array" && base?.kind === "array" && rules.lists === "join") {
    return { ...over, items: [...base.items, ...over.items] };
  }
  if (over.kind !== "object") return over;
  const under = base?.kind === "object" ? base : emptyLike(over);
  const members = new Map(under.members);
  for (const [key, value] of over.members) {
    refuse(key);
    if (isNull(value) && rules.nulls === "remove") members.delete(key);
    else members.set(key, merge(members.get(key), value, rules));
  }
  // A patch keeps the position of the value it changes; with an include, the position is that of the keys beside it.
  return { kind: "object", members, at: rules.lists === "replace" ? under.at : over.at };
}

function emptyLike({ at }: TreeObject): TreeObject {
  return { kind: "object", members: new Map(), at };
}

function isNull(tree: Tree): boolean {
  return tree.kind === "value" && tree.value === null;
}

function refuse(key: string): void {
  if (isPrototypeKey(key)) throw invalid(`The key "${key}" is not allowed anywhere in the config`, "config");
}

/** There is nothing to merge with, but the keys still have to be checked. */
function checked(tree: Tree): Tree {
  if (tree.kind === "array") for (const item of tree.items) checked(item);
  if (tree.kind !== "object") return tree;
  for (const [key, member] of tree.members) {
    refuse(key);
    checked(member);
  }
  return tree;
}
