import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exported, sampleStore } from "../../../../test/support/samples/sample-conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import { quotedText } from "./markdown-text.ts";

let store: Store;
let id: string;
beforeAll(async () => {
  ({ store, id } = await sampleStore());
});
afterAll(() => store.close());

describe("Markdown", () => {
  it("has the title, the metadata, and messages with role, time and content", async () => {
    const text = await exported(store, id, { to: "markdown", branch: "main" });
    expect(text).toMatch(/^# A \\\*sample\\\*\n\n- Conversation: cli:sample\n/);
    expect(text).toContain("- Branch: main; 2 more are not shown here\n");
    expect(text).toContain(
      "### User\n\n*#2 · 2026-11-15 06:35 UTC*\n\n> half a pair: \ufffd, a whole one: 😀, שלום\n",
    );
    expect(text).toContain("<details>\n<summary>Thinking</summary>\n\n> Let me look.\n\n</details>\n");
    expect(text).toContain('**Tool call: read**\n\n```json\n{\n  "path": "a.txt"\n}\n```\n');
    expect(text).toContain("**Tool failed: list**\n\n```\nno such folder\n```\n");
    expect(text).toContain("\\[image, image/png, 70 bytes\\]");
    expect(text).toContain("\\[document, notes.bin, application/pdf\\]");
    expect(text).not.toContain("iVBOR");
    expect(text).toMatch(
      /### Compacted: a summary of \d messages replaces .*\n\n.*\n\n> They looked at a file\.\n/,
    );
    expect(text).toContain("label: before the picture");
    expect(text).toContain("claude-opus-4-1");
    expect(text).not.toContain("Fine.");
  });

  it("shows the tree, where branches leave, and each entry once", async () => {
    const text = await exported(store, id, { to: "markdown", allBranches: true });
    expect(text).toContain(
      "## Branches\n\n- **main**: 8 entries\n  - **other**: 1 entry, starts after #3\n  - **again** (checked out): 2 entries, starts after #5\n",
    );
    expect(text).toMatch(/\*Here \*\*other\*\* leaves\.\*/);
    expect(text).toContain("## Branch again\n\n*It continues after #5; its parent is main.*\n");
    for (const said of ["Stop that", "Something else", "Fine.", "I see.", "Done."]) {
      expect(text.split(`> ${said}`)).toHaveLength(2);
    }
  });

  it.each([
    ["a heading", "## User\n\nUser\n====\n\n---"],
    ["an open fence", "```\n# not code any more?"],
    ["an indented fence that a margin closes", "   ```\ncode\n```\n<script>alert(1)</script>\n```"],
    ["a fence in a list", "- ```\n<script>alert(1)</script>"],
    ["HTML", "<script>alert(1)</script>\n<!-- \n<details>\n</details>\n<img src=x onerror=alert(1)>"],
    ["HTML after an open backtick", "`a\nb`<script>`"],
    ["HTML in a cell of a table", "| a | b |\n| - | - |\n| ` | <script> ` |"],
    ["HTML after an escaped backtick", "\\`<script>`"],
    ["an escaped HTML tag", "\\<script> \\\\<script>"],
    ["a carriage return", "a\r## User\r\n## Assistant\u2028## System"],
  ])("is not broken out of by %s", async (_, content) => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:hostile");
    await chat.append([
      { role: "user", content },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: content },
          { type: "text", text: content },
        ],
      },
    ]);
    const text = await exported(own, chat.id, { to: "markdown" });
    const outside = text.split("\n").filter((line) => !line.startsWith(">"));
    expect(outside.filter((line) => line.startsWith("#"))).toEqual([
      "# cli:hostile",
      "### User",
      "### Assistant",
    ]);
    expect(outside.filter((line) => line.startsWith("<"))).toEqual([
      "<details>",
      "<summary>Thinking</summary>",
      "</details>",
    ]);
    expect(withoutCode(text)).not.toMatch(/<(?!\/?(?:details|summary)>)/);
  });

  it("shows code unchanged, and everything else as text", () => {
    expect(quotedText("Use `<b>` and a<b>c, not ![x](http://e.org/p.png)")).toBe(
      "> Use `<b>` and a&lt;b>c, not \\![x](http://e.org/p.png)\n",
    );
    expect(quotedText("1. Do\n   ```html\n   <b>\n   ```\n2. Stop")).toBe(
      "> 1. Do\n> ```html\n> <b>\n> ```\n> 2. Stop\n",
    );
    expect(quotedText("a\n\nb")).toBe("> a\n>\n> b\n");
  });

  it("closes code with a longer fence than any in it", async () => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:fences");
    const output = "```\n````\n## User\n~~~~~~";
    await chat.append([
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "x`\n# y", input: { a: "`````" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: output }] },
    ]);
    const text = await exported(own, chat.id, { to: "markdown" });
    expect(text).toContain("**Tool call: x\\` \\# y**\n\n``````json\n");
    expect(text).toContain("`````\n```\n````\n## User\n~~~~~~\n`````\n");
  });

  it("shows marks that turn the reading direction around", async () => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:bidi", { title: "a\u202eb c" });
    await chat.append({ role: "user", content: "evil\u202etxt.exe \u2066x\u2069 \u0007\u009b" });
    const text = await exported(own, chat.id, { to: "markdown" });
    expect(text).toContain("# a\\[U+202E\\]b c\n");
    expect(text).toContain("> evil[U+202E]txt.exe [U+2066]x[U+2069] [U+0007][U+009B]\n");
  });
});

/** Without fenced code and code within a line, as a reader of Markdown sees it. */
function withoutCode(text: string): string {
  return text
    .replace(/^(?:> )?(`{3,})[^\n]*\n[\s\S]*?^(?:> )?\1$/gm, "")
    .replace(/(?<![`\\])(`+)(?!`)[^\n|]*?(?<!`)\1(?!`)/g, (whole) => (whole.includes("script") ? whole : ""));
}
