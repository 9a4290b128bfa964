import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, split } from "../../src/cli/parse.ts";
import { codeBlocks, markdownPages, proseLines } from "../support/docs/markdown.ts";

const COLUMNS = 120;
const pages = markdownPages();

/** A row of a table cannot be broken, nor can a link without a space in it. */
function breakable(text: string): boolean {
  return !text.startsWith("|") && text.trim().includes(" ");
}

/** The anchors that GitHub makes of the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const { text } of proseLines(page)) {
    const heading = /^#+ (.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const slug = heading
      .toLowerCase()
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll(/[^\p{L}\p{N}\p{M}\-_ ]/gu, "")
      .replaceAll(" ", "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** Why a link leads nowhere, or `undefined`. */
function brokenLink(page: string, link: string): string | undefined {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(target)) return `there is no ${target}`;
  if (anchor !== undefined && !anchorsOf(target).has(anchor)) return `${target} has no heading #${anchor}`;
  return undefined;
}

/** The simple commands of a shell line, each as its words. Enough of a shell for the examples of a manual. */
function commandsOf(line: string): string[][] {
  const tokens = [...line.matchAll(/#.*$|&&|[|<>]|(?:'[^']*'|"[^"]*"|[^\s'"|<>])+/g)].map(([token]) => token);
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (token.startsWith("#")) break;
    if (/^(?:&&|[|<>])$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(token.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands;
}

/** Why an example of a command cannot be run, or `undefined`. */
function brokenCommand([program, ...words]: readonly string[]): string | undefined {
  if (program === "colloquy") {
    try {
      parse(split(words));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  if (program === "npm" && words[0] === "run" && !Object.hasOwn(scripts, words[1] ?? ""))
    return `there is no script ${words[1]}`;
  return undefined;
}

describe("every page", () => {
  it(`has lines of at most ${COLUMNS} columns`, () => {
    // A line of JSONL is a record: broken into two it would be another thing.
    const records = new Set(
      pages.flatMap((page) =>
        codeBlocks(page)
          .filter(({ language }) => language === "jsonl")
          .flatMap(({ code, line }) => code.split("\n").map((_, index) => `${page}:${line + index}`)),
      ),
    );
    const long = pages.flatMap((page) =>
      readFileSync(page, "utf8")
        .split("\n")
        .map((text, index) => ({ text, place: `${page}:${index + 1}` }))
        .filter(({ text, place }) => text.length > COLUMNS && breakable(text) && !records.has(place))
        .map(({ place }) => place),
    );
    expect(long).toEqual([]);
  });

  it("links to files and headings that exist", () => {
    const broken = pages.flatMap((page) =>
      proseLines(page).flatMap(({ text, line }) =>
        [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)]
          .map(([, link]) => brokenLink(page, link as string))
          .filter((reason) => reason !== undefined)
          .map((reason) => `${page}:${line}: ${reason}`),
      ),
    );
    expect(broken).toEqual([]);
  });

  it("shows commands, options and scripts that exist", async () => {
    const broken: string[] = [];
    for (const page of pages) {
      for (const { code, line } of codeBlocks(page).filter(({ language }) => language === "sh")) {
        for (const [index, text] of code.split("\n").entries()) {
          for (const command of commandsOf(text)) {
            const reason = brokenCommand(command);
            if (reason !== undefined) broken.push(`${page}:${line + index}: ${reason}`);
          }
        }
      }
    }
    expect(broken).toEqual([]);
  });
});
