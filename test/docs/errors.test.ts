import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeSpans, sectionOf, sourceText, tableRows } from "../support/docs/source-text.ts";

const page = readFileSync("docs/reference/errors.md", "utf8");

/** Every source as one text, where a value in a message is written `…`, as in the reference. */
function sources(): string {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join("src", name), "utf8"))
    .join("\n")
    .replaceAll(/\$\{[^}]*\}/g, "…");
}

/** The messages in the first column of the tables: they begin with a capital or a value, and have a space. */
function quotedMessages(): string[] {
  return page
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) => [...(line.split(" | ")[0] as string).matchAll(/`((?:[A-Z]|…)[^`]* [^`]*)`/g)])
    .map(([, message]) => message as string);
}

/** The calls that make an error of this code, outside of the command. */
function thrown(code: string): string[] {
  const folders = [
    "disk",
    "engine",
    "formats",
    "key",
    "message",
    "sqlite",
    "state",
    "store",
    "transcript",
    "tree",
  ];
  const text = sourceText(...folders.map((folder) => `src/${folder}`));
  return [...text.matchAll(new RegExp(`new ColloquyError\\(\\s*"${code}"`, "g"))].map(({ index }) =>
    text.slice(index, closing(text, text.indexOf("(", index))),
  );
}

/** The end of the parentheses that open here. */
function closing(text: string, start: number): number {
  for (let [at, depth] = [start, 0]; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
  return text.length;
}

describe("the reference of errors", () => {
  it("quotes messages that the sources contain", () => {
    const text = sources();
    const messages = quotedMessages();
    expect(messages.length).toBeGreaterThan(15);
    const parts = messages.flatMap((message) => message.split("…").map((part) => part.trim()));
    expect(parts.filter((part) => part !== "" && !text.includes(part))).toEqual([]);
  });

  it.each(["NOT_FOUND", "CONFLICT"])("has every field of %s", (code) => {
    const named = new Set(
      tableRows(sectionOf(page, `## ${code}`)).flatMap(([field = ""]) => codeSpans(field)),
    );
    const fields = thrown(code).flatMap((call) => /\bfield: "(\w+)"/.exec(call)?.[1] ?? []);
    expect(fields.length).toBeGreaterThan(5);
    expect([...new Set(fields)].filter((field) => !named.has(field))).toEqual([]);
  });

  it("has every code", () => {
    const [, union = ""] = /type ErrorCode =([^;]*);/.exec(readFileSync("src/errors.ts", "utf8")) ?? [];
    const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code as string);
    expect(codes.length).toBeGreaterThan(5);
    const headings = page.split("\n").filter((line) => line.startsWith("## "));
    expect(codes.filter((code) => !headings.join(" ").includes(code))).toEqual([]);
  });
});
