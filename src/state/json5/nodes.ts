/** The syntax tree of a JSON5 text, with the position of every node. */
import { ColloquyError } from "../../errors.ts";
import type { Json } from "../../util/json.ts";

/** Lines and columns count from 1, columns in UTF-16 units as editors do. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

interface Extent {
  readonly start: Position;
  /** Just after the last character. */
  readonly end: Position;
}

export interface Member {
  readonly key: string;
  readonly keyStart: Position;
  readonly value: Node;
}

export interface ObjectNode extends Extent {
  readonly type: "object";
  readonly members: readonly Member[];
}

export interface ArrayNode extends Extent {
  readonly type: "array";
  readonly items: readonly Node[];
}

interface ScalarNode extends Extent {
  readonly type: "string" | "number" | "boolean" | "null";
  readonly value: string | number | boolean | null;
}

export type Node = ObjectNode | ArrayNode | ScalarNode;

/** Keys from the root; an item of a list is named by its index in digits. */
export type Path = readonly string[];

/** An error at a position, as one line that editors can jump to. Never quotes the text, which may be a secret. */
export function wrongAt(what: string, file: string, at: Position): ColloquyError {
  const { line, column } = at;
  return new ColloquyError("VALIDATION_ERROR", `${file}:${line}:${column}: ${what}`, {
    field: "config",
    details: { file, line, column },
  });
}

const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether a key would change the prototype of an object. */
export function isPrototypeKey(key: string): boolean {
  return PROTOTYPE_KEYS.has(key);
}

export function refusePrototypeKey({ key, keyStart }: Member, file: string): void {
  if (isPrototypeKey(key)) throw wrongAt(`The key "${key}" is not allowed anywhere`, file, keyStart);
}

/** The plain value. Of duplicate keys the last one counts. */
export function jsonOf(node: Node, file = "text"): Json {
  if (node.type === "array") return node.items.map((item) => jsonOf(item, file));
  if (node.type !== "object") return node.value;
  const value: Record<string, Json> = {};
  for (const member of node.members) {
    refusePrototypeKey(member, file);
    value[member.key] = jsonOf(member.value, file);
  }
  return value;
}

/** The node under a key or index, or `undefined`. */
export function childOf(node: Node, key: string): Node | undefined {
  if (node.type === "object") return node.members.findLast((member) => member.key === key)?.value;
  if (node.type === "array" && isIndex(key)) return node.items[Number(key)];
  return undefined;
}

export function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}

export function nodeAt(node: Node, path: Path): Node | undefined {
  let at: Node | undefined = node;
  for (const key of path) {
    if (at === undefined) return undefined;
    at = childOf(at, key);
  }
  return at;
}
