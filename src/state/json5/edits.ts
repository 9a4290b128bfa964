import type { ArrayNode, Node, ObjectNode } from "./nodes.ts";
import { Scanner } from "./scanner.ts";

/** Characters of a text that give way to others. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text after edits that do not overlap. Of two at one place the first stays first. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = "";
  let done = 0;
  for (const { from, to, text: added } of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(done, from) + added;
    done = to;
  }
  return result + text.slice(done);
}

/** A member with its key, or an item. */
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

/** Where the comma behind a child stands, when there is one. */
export function commaBehind(text: string, end: number): number | undefined {
  const scanner = new Scanner(text, "text");
  scanner.offset = end;
  scanner.skipTrivia();
  return scanner.current === "," ? scanner.offset : undefined;
}
