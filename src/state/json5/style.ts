/** The style of a text, so that an addition looks like the rest. */
import type { Json } from "../../util/json.ts";
import { isName } from "./literals.ts";
import type { Node } from "./nodes.ts";
import { isLineEnd, isSpace } from "./scanner.ts";

export interface Style {
  readonly newline: "\n" | "\r\n";
  /** One step of indentation. */
  readonly unit: string;
  /** The quotes of keys; empty where keys are unquoted. */
  readonly keyQuote: '"' | "'" | "";
  readonly quote: '"' | "'";
}

/** The style of a text. For keys, the object that is changed decides, if it has any. */
export function styleOf(text: string, root: Node, place: Node = root): Style {
  const nodes = [...walk(root)];
  const key = firstKey([place]) ?? firstKey(nodes);
  const string = nodes.find(({ type }) => type === "string");
  return {
    newline: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    unit: unitOf(text, nodes),
    keyQuote: key === undefined ? '"' : quoteAt(text, key),
    quote: (string === undefined ? "" : quoteAt(text, string.start.offset)) || '"',
  };
}

function quoteAt(text: string, offset: number): '"' | "'" | "" {
  const character = text[offset];
  return character === '"' || character === "'" ? character : "";
}

function* walk(node: Node): Generator<Node> {
  yield node;
  const children = node.type === "object" ? node.members.map(({ value }) => value) : [];
  for (const child of node.type === "array" ? node.items : children) yield* walk(child);
}

function firstKey(nodes: readonly Node[]): number | undefined {
  for (const node of nodes) {
    if (node.type === "object" && node.members[0] !== undefined) return node.members[0].keyStart.offset;
  }
  return undefined;
}

/** How much further the first child on a separate line is indented than its parent. */
function unitOf(text: string, nodes: readonly Node[]): string {
  for (const node of nodes) {
    const child = node.type === "object" ? node.members[0]?.keyStart : undefined;
    if (child === undefined || child.line === node.start.line) continue;
    const outer = indentAt(text, node.start.offset);
    const inner = indentAt(text, child.offset);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return "  ";
}

/** The indentation of the line at an offset. */
export function indentAt(text: string, offset: number): string {
  let start = offset;
  while (start > 0 && !isLineEnd(text[start - 1] as string)) start--;
  let end = start;
  while (end < offset && isSpace(text[end] as string) && text[end] !== "\ufeff") end++;
  return text.slice(start, end);
}

/** A value as text, for a line with this indentation. */
export function written(value: Json, indent: string, style: Style): string {
  if (typeof value === "string") return quotedText(value, style.quote);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + style.unit;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => written(item, inner, style));
    const short = value.every((item) => typeof item !== "object" || item === null);
    return short ? `[${items.join(", ")}]` : block("[", items, "]", indent, style);
  }
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${writtenKey(key, style)}: ${written(member, inner, style)}`],
  );
  return members.length === 0 ? "{}" : block("{", members, "}", indent, style);
}

function block(open: string, parts: readonly string[], close: string, indent: string, style: Style): string {
  const { newline, unit } = style;
  const lines = parts.map((part) => `${indent}${unit}${part}`);
  return `${open}${newline}${lines.join(`,${newline}`)}${newline}${indent}${close}`;
}

export function writtenKey(key: string, { keyQuote, quote }: Style): string {
  if (keyQuote === "" && isName(key)) return key;
  return quotedText(key, keyQuote === "" ? quote : keyQuote);
}

function quotedText(text: string, quote: '"' | "'"): string {
  const json = JSON.stringify(text).replace(/[\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16)}`;
  });
  if (quote === '"') return json;
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
