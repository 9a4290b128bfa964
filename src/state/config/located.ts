/** Values that know where they were written. */
import type { Json } from "../../util/json.ts";
import { isIndex, type Node, type Path, refusePrototypeKey } from "../json5/nodes.ts";

export type OriginKind = "file" | "include" | "patch" | "env" | "override" | "default";

/** What values come from: a file, or something without lines. */
export interface Source {
  readonly kind: OriginKind;
  readonly file: string | null;
  /** `file:line:column` of the `$include` that loaded it. */
  readonly via?: string;
}

/** The position of a value. */
export interface Place {
  readonly source: Source;
  readonly line: number | null;
  readonly column: number | null;
  /** Its parent in its file, and the key there. An include shifts the path. */
  readonly up: Place | undefined;
  readonly key: string;
  /** The variables that the value contains. */
  readonly variables?: readonly string[];
}

export interface TreeObject {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, Tree>;
  readonly at: Place;
}

interface TreeArray {
  readonly kind: "array";
  readonly items: readonly Tree[];
  readonly at: Place;
}

export interface TreeValue {
  readonly kind: "value";
  readonly value: string | number | boolean | null;
  readonly at: Place;
}

export type Tree = TreeObject | TreeArray | TreeValue;

/** The path within its file. */
export function innerPath(place: Place): Path {
  const path: string[] = [];
  for (let at = place; at.up !== undefined; at = at.up) path.unshift(at.key);
  return path;
}

/** A parsed text as a tree. Refuses prototype keys and names their position. */
export function locate(node: Node, source: Source, up?: Place, key = ""): Tree {
  const at: Place = { source, line: node.start.line, column: node.start.column, up, key };
  if (node.type === "array") {
    const items = node.items.map((item, index) => locate(item, source, at, String(index)));
    return { kind: "array", items, at };
  }
  if (node.type !== "object") return { kind: "value", value: node.value, at };
  const members = new Map<string, Tree>();
  for (const member of node.members) {
    refusePrototypeKey(member, source.file ?? "text");
    members.set(member.key, locate(member.value, source, at, member.key));
  }
  return { kind: "object", members, at };
}

/** A plain value as a tree, all from one source. */
export function treeOf(value: Json, source: Source, up?: Place, key = ""): Tree {
  const at: Place = { source, line: null, column: null, up, key };
  if (typeof value !== "object" || value === null) return { kind: "value", value, at };
  if (Array.isArray(value)) {
    const items = value.map((item: Json, index) => treeOf(item, source, at, String(index)));
    return { kind: "array", items, at };
  }
  const members = Object.entries(value).map(([name, member]) => {
    return [name, treeOf(member as Json, source, at, name)] as const;
  });
  return { kind: "object", members: new Map(members), at };
}

/** A new plain value. */
export function plain(tree: Tree): Json {
  if (tree.kind === "value") return tree.value;
  if (tree.kind === "array") return tree.items.map(plain);
  const value: Record<string, Json> = {};
  for (const [key, member] of tree.members) value[key] = plain(member);
  return value;
}

export function childTree(tree: Tree, key: string): Tree | undefined {
  if (tree.kind === "object") return tree.members.get(key);
  return tree.kind === "array" && isIndex(key) ? tree.items[Number(key)] : undefined;
}

export function treeAt(tree: Tree, path: Path): Tree | undefined {
  let at: Tree | undefined = tree;
  for (const key of path) at = at === undefined ? undefined : childTree(at, key);
  return at;
}

/**
 * A tree with other values. Unchanged parts are shared, so that a few changes
 * of a large config cost little.
 */
export function mapTree(tree: Tree, change: (child: Tree, key: string) => Tree): Tree {
  if (tree.kind === "value") return tree;
  if (tree.kind === "array") {
    let changed = false;
    const items = tree.items.map((item, index) => {
      const now = change(item, String(index));
      changed ||= now !== item;
      return now;
    });
    return changed ? { ...tree, items } : tree;
  }
  let members: Map<string, Tree> | undefined;
  for (const [key, member] of tree.members) {
    const now = change(member, key);
    if (now === member) continue;
    members ??= new Map(tree.members);
    members.set(key, now);
  }
  return members === undefined ? tree : { ...tree, members };
}

/** Whether any part of a tree matches. */
export function someTree(tree: Tree, such: (part: Tree) => boolean): boolean {
  if (such(tree)) return true;
  if (tree.kind === "value") return false;
  for (const child of tree.kind === "array" ? tree.items : tree.members.values()) {
    if (someTree(child, such)) return true;
  }
  return false;
}
