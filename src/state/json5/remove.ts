import { applied, childrenOf, commaAfter, type Edit } from "./edits.ts";
import { type ArrayNode, isIndex, nodeAt, type ObjectNode, type Path } from "./nodes.ts";
import { parseJson5 } from "./parse.ts";
import { isLineEnd, isSpace } from "./scanner.ts";

/** Remove the value at a path, and its duplicates. Comments around it stay. */
export function unsetAt(text: string, path: Path, file = "text"): string {
  const key = path.at(-1);
  const root = parseJson5(text, file);
  const holder = nodeAt(root, path.slice(0, -1));
  if (key === undefined || holder === undefined) return text;
  if (holder.type === "array") {
    const there = isIndex(key) && Number(key) < holder.items.length;
    return there ? without(text, holder, Number(key)) : text;
  }
  if (holder.type !== "object") return text;
  const index = holder.members.findLastIndex((member) => member.key === key);
  // An earlier duplicate of the key would take effect again.
  return index === -1 ? text : unsetAt(without(text, holder, index), path, file);
}

function without(text: string, holder: ObjectNode | ArrayNode, index: number): string {
  const children = childrenOf(holder);
  const child = children[index] as (typeof children)[number];
  const comma = commaAfter(text, child.end);
  if (comma !== undefined) {
    const between = text.slice(child.end, comma);
    if (between.trim() === "") return applied(text, [tidied(text, child.start, comma + 1)]);
    return applied(text, [cut(child.start, child.end), cut(comma, comma + 1)]);
  }
  const before = children[index - 1];
  const spare = before === undefined ? undefined : commaAfter(text, before.end);
  const edit = tidied(text, child.start, child.end);
  // Otherwise the property before would get a trailing comma that the author did not write.
  return applied(
    text,
    spare === undefined ? [edit] : [cut(spare, spare + 1), { ...edit, from: Math.max(edit.from, spare + 1) }],
  );
}

function cut(from: number, to: number): Edit {
  return { from, to, text: "" };
}

/** The whole line when nothing else is on it, otherwise the value and the spaces before it. */
function tidied(text: string, from: number, to: number): Edit {
  let start = from;
  while (start > 0 && isSpace(text[start - 1] as string)) start--;
  const begins = start > 0 && isLineEnd(text[start - 1] as string);
  if (!begins) return cut(start, to);
  let end = to;
  while (end < text.length && isSpace(text[end] as string)) end++;
  if (!isLineEnd(text[end] ?? "")) return cut(from, end);
  return cut(start, text.startsWith("\r\n", end) ? end + 2 : end + 1);
}
