import type { Path } from "../../json5/nodes.ts";
import { childTree, plain, type Tree, treeAt } from "../located.ts";

/**
 * The first other place that a change at a path affects; `undefined` when there is none.
 *
 * Expected and ignored: `meta`, which every change updates, and values with
 * variables, which change with the variable.
 */
export function sideEffectOf(before: Tree, after: Tree, path: Path): Path | undefined {
  // Removing an item moves those after it.
  const holder = path.slice(0, -1);
  const spared = treeAt(before, holder)?.kind === "array" ? holder : path;
  return difference(before, after, spared, []);
}

/** `spared` is the rest of the path below here; `undefined` beside the path. */
function difference(
  before: Tree | undefined,
  after: Tree | undefined,
  spared: Path | undefined,
  here: Path,
): Path | undefined {
  if (spared?.length === 0 || before === after) return undefined;
  if (spared === undefined && !(isContainer(before) && isContainer(after))) {
    return isSame(before, after) ? undefined : here;
  }
  for (const key of new Set([...keysOf(before), ...keysOf(after)])) {
    if (here.length === 0 && key === "meta") continue;
    const rest = spared?.[0] === key ? spared.slice(1) : undefined;
    const found = difference(child(before, key), child(after, key), rest, [...here, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isContainer(tree: Tree | undefined): boolean {
  return tree !== undefined && tree.kind !== "value";
}

function isSame(before: Tree | undefined, after: Tree | undefined): boolean {
  if (before?.at.variables !== undefined || after?.at.variables !== undefined) return true;
  if (before === undefined || after === undefined) return before === after;
  return JSON.stringify(plain(before)) === JSON.stringify(plain(after));
}

function keysOf(tree: Tree | undefined): string[] {
  if (tree === undefined || tree.kind === "value") return [];
  return tree.kind === "array" ? tree.items.map((_, index) => String(index)) : [...tree.members.keys()];
}

function child(tree: Tree | undefined, key: string): Tree | undefined {
  return tree === undefined ? undefined : childTree(tree, key);
}
