import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./parse.ts";

describe("Markdown", () => {
  it("keeps HTML as text nodes", () => {
    const kinds = new Set(
      all(parseMarkdown("a <b>b</b>\n\n<script>alert(1)</script>\n")).map(({ type }) => type),
    );
    expect(kinds).toEqual(new Set(["root", "paragraph", "text", "html"]));
  });

  it("knows tables, tasks and bare addresses", () => {
    const kinds = all(parseMarkdown("| a |\n| - |\n| 1 |\n\n- [x] done\n\nsee https://example.org\n")).map(
      ({ type }) => type,
    );
    expect(kinds).toEqual(expect.arrayContaining(["table", "listItem", "link"]));
  });

  it("does not parse what is very long", () => {
    const text = "# a\n".repeat(60_000);
    expect(parseMarkdown(text).children).toEqual([{ type: "code", value: text }]);
  });

  it("parses a text once", () => {
    expect(parseMarkdown("**once**")).toBe(parseMarkdown("**once**"));
  });
});

function all(node: Nodes): Nodes[] {
  return [node, ...("children" in node ? node.children.flatMap((child) => all(child)) : [])];
}
