import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../context/tokens.ts";
import { chunkMarkdown } from "./markdown.ts";

describe("chunks of Markdown", () => {
  it("begin at headings, and know the headings above them and their lines", () => {
    const text =
      "Intro\n\n# Guide\n\n## Install\nRun npm.\n\n## Use\nOpen it.\nThen write.\n\n# Licence\nMIT\n";
    expect(chunkMarkdown(text)).toEqual([
      { text: "Intro", headings: [], firstLine: 1, lastLine: 1 },
      { text: "# Guide\n\n## Install\nRun npm.", headings: ["Guide", "Install"], firstLine: 3, lastLine: 6 },
      { text: "## Use\nOpen it.\nThen write.", headings: ["Guide", "Use"], firstLine: 8, lastLine: 10 },
      { text: "# Licence\nMIT", headings: ["Licence"], firstLine: 12, lastLine: 13 },
    ]);
  });

  it("do not begin at a comment in a code block", () => {
    const text = "# Script\n```sh\n# not a heading\nrun\n```\nend";
    expect(chunkMarkdown(text)).toHaveLength(1);
  });

  it("have 400 tokens at most, and repeat up to 80 of the one before", () => {
    const lines = Array.from(
      { length: 200 },
      (_, index) => `This is sentence number ${index} of a long section.`,
    );
    const chunks = chunkMarkdown(lines.join("\n"));
    expect(chunks.length).toBeGreaterThan(3);
    for (const [index, chunk] of chunks.entries()) {
      expect(estimateTokens(chunk.text)).toBeLessThanOrEqual(400);
      expect(chunk.text).toBe(lines.slice(chunk.firstLine - 1, chunk.lastLine).join("\n"));
      const before = chunks[index - 1];
      if (before === undefined) continue;
      const repeated = lines.slice(chunk.firstLine - 1, before.lastLine).join("\n");
      expect(estimateTokens(repeated)).toBeGreaterThan(50);
      expect(estimateTokens(repeated)).toBeLessThanOrEqual(80);
    }
  });

  it("break a line that is too long, between words and never inside a character", () => {
    const words = chunkMarkdown("word ".repeat(5000));
    expect(words.length).toBeGreaterThan(5);
    expect(
      words.every(({ text, firstLine, lastLine }) => /^word/.test(text) && firstLine + lastLine === 2),
    ).toBe(true);
    const emoji = chunkMarkdown("😀".repeat(2000));
    expect(emoji.every(({ text }) => text.isWellFormed())).toBe(true);
    expect(emoji.map(({ text }) => text).join("")).toBe("😀".repeat(2000));
  });

  it("are none for an empty text", () => {
    for (const text of ["", "\n\n", "   \n\t"]) expect(chunkMarkdown(text)).toEqual([]);
  });

  it("contain every line that is not blank, whatever the text", () => {
    const line = fc.oneof(
      fc.constantFrom("", "# A", "### B", "```", "~~~~", "text"),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (parts) => {
        const text = parts.join("\n");
        const lines = text.split(/\r\n|\n|\r/);
        const covered = new Set<number>();
        for (const { firstLine, lastLine } of chunkMarkdown(text, { tokens: 20, overlapTokens: 5 })) {
          for (let number = firstLine; number <= lastLine; number++) covered.add(number);
        }
        for (const [index, each] of lines.entries())
          expect(each.trim() === "" || covered.has(index + 1)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
