import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeSpans, sourceText, tableRows } from "../support/docs/source-text.ts";

/** As a finding is made: `code: "x"`, or the first words that a function gets which makes one. */
const MADE =
  /\bcode(?:: | = [^;]*)"([a-z][a-z-]*)"|\b(?:found|note|report|openToOthers|summed)\(\s*"([a-z][a-z-]+)"/g;
/** Codes in lists and tables. They begin with what is wrong. */
const NAMED =
  /"((?:bad|branch|damaged|dangling|deep|duplicate|foreign|lost|missing|orphan|restored|shrunk|torn|unreadable|wrong)-[a-z-]+|cycle)"/g;

function codesIn(text: string, ...patterns: readonly RegExp[]): string[] {
  const codes = patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((found) => found[1] ?? found[2] ?? ""),
  );
  return [...new Set(codes)].sort();
}

/** The codes in a column of the tables of a text. */
function listed(text: string, column: number): string[] {
  return tableRows(text)
    .flatMap((cells) => codeSpans(cells[column] ?? ""))
    .filter((code) => /^[a-z]+(?:-[a-z]+)*$/.test(code))
    .sort();
}

describe("the findings", () => {
  it("of sessions validate are those of the engines", () => {
    const page = readFileSync("docs/reference/findings.md", "utf8");
    const places = ["sqlite/care", "sqlite/salvage", "jsonl/care", "jsonl/feed", "jsonl/legacy"];
    const engines = sourceText(...places.map((place) => `src/engine/${place}`));
    const store = sourceText("src/store/copy");
    expect(listed(page, 0)).toEqual(codesIn(`${engines}\n${store}`, MADE, NAMED));
  });

  it("of doctor are those of its checks", () => {
    const page = readFileSync("docs/guide/doctor.md", "utf8");
    const [table = ""] = page.split("\n## ");
    const named = listed(table, 1);
    // `damaged-file` is a finding of `sessions validate`, and `config-…` stands for those of `config validate`.
    const elsewhere = (code: string): boolean => code === "damaged-file" || code.startsWith("config-");
    const made = codesIn(sourceText("src/doctor"), MADE).filter((code) => !elsewhere(code));
    expect(made.filter((code) => !named.includes(code))).toEqual([]);
    const source = sourceText("src/doctor");
    expect(named.filter((code) => !source.includes(`"${code}"`))).toEqual([]);
  });
});
