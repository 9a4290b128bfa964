import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/fast-check.ts";
import { Screen } from "../../../test/support/processes/screen.ts";
import { widthOf } from "../../util/text-width.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import { colours, noColours } from "./paint.ts";

function rendered(text: string, columns = 40, pieces: readonly string[] = [text]): string {
  const stream = new MarkdownStream(() => columns, colours);
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

function shown(text: string, columns = 40): string {
  return new Screen(columns).write(rendered(text, columns)).text;
}

/** An order that is not about styles, nor about the current line. */
const ESC = "\\u001b";
const ABOVE = new RegExp(`${ESC}\\[\\d*[^\\dmDK]`);

describe("Markdown on a terminal", () => {
  it.each([
    ["# Title\ntext", "\u001b[1mTitle\u001b[22m\ntext\n"],
    ["a **b** c", "a \u001b[1mb\u001b[22m c\n"],
    ["a *b* `c`", "a \u001b[3mb\u001b[23m \u001b[36mc\u001b[39m\n"],
    ["__b__ _c_ ~~d~~", "\u001b[1mb\u001b[22m \u001b[3mc\u001b[23m \u001b[2md\u001b[22m\n"],
    ["[a](http://b)", "\u001b[4ma\u001b[24m\u001b[2m \u001b[22m\u001b[2m(http://b)\u001b[22m\n"],
    ["> q", "\u001b[2m│\u001b[22m\u001b[2m \u001b[22mq\n"],
    ["```js\n**a**\n```", "\u001b[2m```js\u001b[22m\n\u001b[36m**a**\u001b[39m\n\u001b[2m```\u001b[22m\n"],
  ])("styles %j", (text, out) => {
    expect(rendered(text)).toBe(out);
  });

  it.each([
    ["- one\n  * two\n10. ten", "• one\n  • two\n10. ten"],
    ["| A | Bee |\n|---|---|\n| 1 | **2** |\n| long | |\nend", "A     Bee\n1     2\nlong\nend"],
    ["***\n---", `${"─".repeat(39)}\n${"─".repeat(39)}`],
    ["> a\n>> b", "│ a\n│ │ b"],
    // What is not Markdown stays as it is.
    ["snake_case_name, 2 * 3 * 4, all *.ts", "snake_case_name, 2 * 3 * 4, all *.ts"],
    ["a ** b, `open, [x] and 5!", "a ** b, `open, [x] and 5!"],
    ["\\*a\\* #tag -dash 1.5", "*a* #tag -dash 1.5"],
    ["~~~\n```\n\n~~~\nend", "~~~\n```\n\n~~~\nend"],
  ])("shows %j", (text, screen) => {
    expect(shown(text)).toBe(screen);
  });

  it("wraps between words, below the text of a list or a quote", () => {
    expect(shown("- one two three four\n> five six seven eight\n\n  nine ten eleven", 14)).toBe(
      "• one two\n  three four\n│ five six\n│ seven eight\n\n  nine ten\n  eleven",
    );
    expect(shown(`see ${"x".repeat(20)} end`, 10)).toBe("see xxxxx\nxxxxxxxxx\nxxxxxx\nend");
    expect(shown("日本語の文章です", 9)).toBe("日本語の\n文章です");
  });

  it("follows the width of the terminal", () => {
    let columns = 40;
    const stream = new MarkdownStream(() => columns, noColours);
    const first = stream.push("one two three four five ");
    columns = 12;
    expect(new Screen(40).write(first + stream.push("\nsix seven eight") + stream.end()).text).toBe(
      "one two three four five\nsix seven\neight",
    );
  });

  it("prints the first characters at once", () => {
    const stream = new MarkdownStream(() => 80, colours);
    expect(["H", "el", "lo wor", "ld"].map((piece) => stream.push(piece))).toEqual([
      "H",
      "el",
      "lo wor",
      "ld",
    ]);
  });

  const parts = fc.constantFrom(
    ..."# |## T\n|**|*|_|`|```|```ts\n|~~~\n|- |1. |> |\n|\n\n| |word|a_b|[|](|)|| a | b |\n|---\n|\\|!|日本|é|long-word-without-space".split(
      "|",
    ),
    "| a | b |\n",
    "|--|--|\n",
  );
  const text = fc.array(parts, { maxLength: 60 }).map((all) => all.join(""));

  it("shows the same whatever the pieces were", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (markdown, columns) => {
        const one = new Screen(columns).write(rendered(markdown, columns));
        const letters = new Screen(columns).write(rendered(markdown, columns, [...markdown]));
        expect(letters.text).toBe(one.text);
      }),
    );
  });

  it("never goes above the current line, and never beyond the last column but one", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 60 }), (markdown, columns) => {
        const out = rendered(markdown, columns, [...markdown]);
        expect(out).not.toMatch(ABOVE);
        if (/[`~]{3}|\|/.test(markdown)) return;
        const { lines } = new Screen(1000).write(out);
        expect(lines.filter((line) => widthOf(line) >= columns)).toEqual([]);
      }),
    );
  });
});
