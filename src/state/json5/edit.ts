/**
 * Changes a JSON5 text and leaves everything else byte for byte unchanged:
 * comments, order, quotes, indentation, trailing commas.
 */
import { invalid } from "../../errors.ts";
import { assertJson, type Json } from "../../util/json.ts";
import { applied, type Child, childrenOf, commaAfter, type Edit } from "./edits.ts";
import {
  type ArrayNode,
  childOf,
  isIndex,
  isPrototypeKey,
  type Node,
  type ObjectNode,
  type Path,
} from "./nodes.ts";
import { parseJson5 } from "./parse.ts";
import { isLineEnd, isSpace } from "./scanner.ts";
import { indentAt, type Style, styleOf, written, writtenKey } from "./style.ts";

/** Set the value at a path. Missing objects on the way are created. */
export function setAt(text: string, path: Path, value: Json, file = "text"): string {
  checkPath(path);
  assertJson(value, "value");
  const root = parseJson5(text, file);
  let place: Node = root;
  for (const [depth, key] of path.entries()) {
    const next = childOf(place, key);
    if (next === undefined) {
      const rest = path.slice(depth + 1).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
      return applied(text, inserted(text, root, place, path.slice(0, depth + 1), rest));
    }
    place = next;
  }
  return applied(text, [replaced(text, root, place, value)]);
}

function checkPath(path: Path): void {
  const bad = path.find(isPrototypeKey);
  if (bad !== undefined) throw invalid(`The key "${bad}" is not allowed anywhere`, "path");
}

function replaced(text: string, root: Node, node: Node, value: Json): Edit {
  const style = styleOf(text, root, node);
  const quote = text[node.start.offset] === "'" ? "'" : '"';
  const own: Style = node.type === "string" ? { ...style, quote } : style;
  const indent = indentAt(text, node.start.offset);
  return { from: node.start.offset, to: node.end.offset, text: written(value, indent, own) };
}

function inserted(text: string, root: Node, place: Node, path: Path, value: Json): Edit[] {
  const key = path.at(-1) as string;
  if (place.type !== "object" && place.type !== "array") {
    const holder = path.slice(0, -1).join(".");
    throw invalid(`"${holder}" is a ${place.type}, so it cannot contain other settings`, "path");
  }
  if (place.type === "array" && !(isIndex(key) && Number(key) === place.items.length)) {
    const next = [...path.slice(0, -1), place.items.length].join(".");
    throw invalid(`"${path.join(".")}" is beyond the end of the list; the next item is ${next}`, "path");
  }
  const style = styleOf(text, root, place);
  const name = place.type === "array" ? "" : `${writtenKey(key, style)}: `;
  const render = (indent: string): string => name + written(value, indent, style);
  const last = childrenOf(place).at(-1);
  return last === undefined
    ? [intoEmpty(text, place, render, style)]
    : afterLast(text, place, last, render, style);
}

type Render = (indent: string) => string;

function afterLast(
  text: string,
  place: ObjectNode | ArrayNode,
  last: Child,
  render: Render,
  { newline }: Style,
): Edit[] {
  const comma = commaAfter(text, last.end);
  const after = comma === undefined ? last.end : comma + 1;
  const indent = indentAt(text, last.start);
  const trailing = comma === undefined ? "" : ",";
  const missing = comma === undefined ? [at(last.end, ",")] : [];
  if (!beginsLine(text, last.start)) return [...missing, at(after, ` ${render(indent)}${trailing}`)];
  const end = lineEnd(text, after, place.end.offset - 1);
  return [...missing, at(end, `${newline}${indent}${render(indent)}${trailing}`)];
}

function intoEmpty(
  text: string,
  place: ObjectNode | ArrayNode,
  render: Render,
  { newline, unit }: Style,
): Edit {
  const open = place.start.offset + 1;
  const close = place.end.offset - 1;
  const outer = indentAt(text, place.start.offset);
  const inner = outer + unit;
  const between = text.slice(open, close);
  const line = `${newline}${inner}${render(inner)}`;
  if (between.trim() === "" && !/[\n\r]/.test(between)) {
    return { from: open, to: close, text: `${line}${newline}${outer}` };
  }
  // After the comments in it, before the line of the closing bracket.
  let bracket = close;
  while (bracket > open && isSpace(text[bracket - 1] as string)) bracket--;
  if (bracket > open && isLineEnd(text[bracket - 1] as string)) {
    return at(bracket, `${inner}${render(inner)}${newline}`);
  }
  return at(close, `${line}${newline}${outer}`);
}

function at(offset: number, text: string): Edit {
  return { from: offset, to: offset, text };
}

function beginsLine(text: string, offset: number): boolean {
  let start = offset;
  while (start > 0 && isSpace(text[start - 1] as string)) start--;
  return start > 0 && isLineEnd(text[start - 1] as string);
}

/** After the comments on this line if a line end follows, otherwise right here. */
function lineEnd(text: string, from: number, close: number): number {
  const comment = /[^\S\n\r\u2028\u2029]*(?:\/\/[^\n\r\u2028\u2029]*|\/\*[^\n\r\u2028\u2029]*?\*\/)/y;
  let end = from;
  for (comment.lastIndex = from; comment.test(text); comment.lastIndex = end) end = comment.lastIndex;
  let next = end;
  while (next < close && isSpace(text[next] as string)) next++;
  return next < close && isLineEnd(text[next] as string) ? end : from;
}
