import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/fast-check.ts";
import { parseQuery, type Term } from "./query.ts";
import { findTerms, phraseTest, snippetOf } from "./snippet.ts";

const terms = (text: string): string[] =>
  parseQuery(text, [0]).terms.map(({ kind, text: typed }) => `${kind} ${typed}`);

describe("a query", () => {
  it.each([
    ["lighthouse keeper", ["word lighthouse", "word keeper"]],
    ['"the lighthouse keeper" x', ["phrase the lighthouse keeper", "word x"]],
    ["light*", ["prefix light*"]],
    ["what did the keeper say", ["word keeper", "word say"]],
    ["the", ["word the"]],
    ["src/open.ts", ["phrase src/open.ts", "word src", "word open", "word ts"]],
    ["東京都", ["word 東京", "word 京都"]],
    ["猫", ["prefix 猫*"]],
    ['unbalanced "quote', ["word unbalanced", "word quote"]],
    ["", []],
    ['"" - OR *', ["word or"]],
  ])("%j", (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it("takes filters as words, and leaves wrong ones as text", () => {
    expect(parseQuery("role:USER channel:discord key:cli: before:2026-02 in:title is:code").filters).toEqual({
      ...{ role: "user", channel: "discord", key: "cli:", in: "title", is: "code" },
      before: "2026-02-01T00:00:00.000Z",
    });
    const { filters, terms: found } = parseQuery("role:nobody before:soon http://x.org");
    expect(filters).toEqual({});
    expect(found.map(({ kind }) => kind)).toContain("phrase");
  });

  it("has alternatives and exclusions", () => {
    const { terms: found, excluded } = parseQuery('harbour OR port -"old town" -ship', [0]);
    expect(found.map(({ group }) => group)).toEqual([1, 1]);
    expect(excluded.map(({ text }) => text)).toEqual(["old town", "ship"]);
  });
});

describe("a snippet", () => {
  const shown = (text: string, query: string): string => {
    const { snippet, highlights } = snippetOf(text, findTerms(text, parseQuery(query, [0]).terms));
    return [...highlights]
      .reverse()
      .reduce(
        (marked, [from, to]) => `${marked.slice(0, from)}[${marked.slice(from, to)}]${marked.slice(to)}`,
        snippet,
      );
  };

  it("marks the words of the query, in whatever form", () => {
    expect(shown("She keeps the fitToContextWindow tests", "keeping context window")).toBe(
      "She [keeps] the fitTo[ContextWindow] tests",
    );
    expect(shown("Ein Café in 東京都", "cafe 東京")).toBe("Ein [Café] in [東京]都");
  });

  it("is the part with the most terms, on one line", () => {
    const text = `anchor ${"filler\n".repeat(200)} the anchor of the ship ${"more ".repeat(200)}`;
    expect(shown(text, "anchor ship")).toMatch(/^…[^\n]*the \[anchor\] of the \[ship\] more[^\n]*…$/);
  });

  it("is the beginning when nothing matches", () => {
    expect(shown("Nothing here", "anchor")).toBe("Nothing here");
  });

  it("never cuts a character", () => {
    const text = `${"😀".repeat(300)} anchor ${"😀".repeat(300)}`;
    expect(snippetOf(text, findTerms(text, parseQuery("anchor").terms)).snippet.isWellFormed()).toBe(true);
  });
});

describe("the test of a phrase", () => {
  const words = ["don't", "Maria's", "fitToContext", "window", "snake_case", "3.53.4", "A", "of", "café"];
  const separators = [" ", ", ", "\n", "-", "/", "'", "(", "  "];
  const text = fc
    .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...separators)), { maxLength: 12 })
    .map((parts) => parts.flat().join(""));

  it("never refuses a text in which the phrase is found", () => {
    const query = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, query, (searched, phrase) => {
        const [term] = parseQuery(`"${phrase.join(" ")}"`, [0]).terms;
        if (term === undefined || findTerms(searched, [term]).length === 0) return;
        expect(phraseTest(term)?.(searched)).not.toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  it("refuses a text that has the words elsewhere", () => {
    const [term] = parseQuery('"anchor of the ship"').terms;
    expect(phraseTest(term as Term)?.("the ship and its anchor")).toBe(false);
  });
});
