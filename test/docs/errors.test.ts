import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

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

describe("the reference of errors", () => {
  it("quotes messages that the sources contain", () => {
    const text = sources();
    const messages = quotedMessages();
    expect(messages.length).toBeGreaterThan(15);
    const parts = messages.flatMap((message) => message.split("…").map((part) => part.trim()));
    expect(parts.filter((part) => part !== "" && !text.includes(part))).toEqual([]);
  });

  it("has every code", () => {
    const [, union = ""] = /type ErrorCode =([^;]*);/.exec(readFileSync("src/errors.ts", "utf8")) ?? [];
    const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code as string);
    expect(codes.length).toBeGreaterThan(5);
    const headings = page.split("\n").filter((line) => line.startsWith("## "));
    expect(codes.filter((code) => !headings.join(" ").includes(code))).toEqual([]);
  });
});
