import { isPlainObject, type JsonObject } from "../util/json.ts";
import { type Branch, PLAIN, type Tree } from "./tree.ts";
import { runsOf } from "./tree-builder.ts";

/** A longer tree is folded again from its log instead of being written each time. */
const RUNS_MAX = 1000;

/** A tree as JSON: `null` for a plain one, `undefined` for one that is too long to write. */
export function encodeTree(tree: Tree): JsonObject | null | undefined {
  if (tree === PLAIN) return null;
  if (runsOf(tree).length > RUNS_MAX || tree.others.length > RUNS_MAX) return undefined;
  return tree as unknown as JsonObject;
}

/** `undefined` if the value is not a tree that this version wrote. */
export function decodeTree(value: unknown): Tree | undefined {
  if (value === null || value === undefined) return PLAIN;
  const tree = value as { readonly [member in keyof Tree]?: unknown };
  const whole =
    [tree.active, tree.trunk, tree.current].every(Number.isSafeInteger) &&
    isListOf(tree.branches, isBranch) &&
    isAscending(tree.branches as readonly Branch[]) &&
    isListOf(tree.pruned, Number.isSafeInteger) &&
    isListOf(tree.runs, (run) => isListOf(run, Number.isSafeInteger) && run.length === 2) &&
    isListOf(tree.others, Number.isSafeInteger) &&
    isListOf(tree.compactions, isPlainObject) &&
    isListOf(tree.labels, (label) => isListOf(label, isText) && label.length === 2);
  return whole && isOneOf(tree.branches, tree.active) && isOneOf(tree.branches, tree.trunk)
    ? (value as Tree)
    : undefined;
}

function isListOf(value: unknown, isRight: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isRight);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isBranch(value: unknown): value is Branch {
  if (!isPlainObject(value)) return false;
  const { id, name, origin, forkSeq } = value as Partial<Branch>;
  const numbers = [id, origin ?? 0, forkSeq];
  return numbers.every(Number.isSafeInteger) && isText(name);
}

function isAscending(branches: readonly Branch[]): boolean {
  return branches.every(({ id }, index) => index === 0 || id > (branches[index - 1] as Branch).id);
}

function isOneOf(branches: unknown, id: unknown): boolean {
  return (branches as readonly Branch[]).some((branch) => branch.id === id);
}
