import type { ArrayNode, Node, ObjectNode } from "./nodes.ts";
import { Scanner } from "./scanner.ts";

/** Characters of a text to replace. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Apply edits that do not overlap. Two at the same place keep their order. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, text: added } of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(done, from) + added;
    done = to;
  }
  return result + text.slice(done);
}

/** A property with its key, or an item. */
export interface Child {
  readonly start: number;
  readonly end: number;
}

export function childrenOf(node: ObjectNode | ArrayNode): Child[] {
  const child = (start: number, { end }: Node): Child => ({ start, end: end.offset });
  return node.type === "object"
    ? node.members.map(({ keyStart, value }) => child(keyStart.offset, value))
    : node.items.map((item) => child(item.start.offset, item));
}

/** The offset of the comma after a child, if there is one. */
export function commaAfter(text: string, end: number): number | undefined {
  const scanner = new Scanner(text, "text");
  scanner.offset = end;
  scanner.skipTrivia();
  return scanner.current === "," ? scanner.offset : undefined;
}
