import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Conversation } from "../../src/store/conversation.ts";
import { Store } from "../../src/store/store.ts";
import { Transcript } from "../../src/transcript/index.ts";
import { codeSpans, sourceText, tableRows } from "../support/docs/source-text.ts";

const names = new Set(readFileSync("docs/reference/library.md", "utf8").match(/\w+/g));

describe("the reference of the library", () => {
  it("names every export of every entry point of the package", async () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
    const missing: string[] = [];
    for (const [door, target] of Object.entries<string | { types: string }>(exports)) {
      if (typeof target === "string") continue;
      const source = target.types.replace("./dist/", "../../src/").replace(/\.d\.ts$/, ".ts");
      const exported = Object.keys(await import(source));
      missing.push(...exported.filter((name) => !names.has(name)).map((name) => `${door}: ${name}`));
    }
    expect(missing).toEqual([]);
  });

  it.each([Store, Conversation, Transcript])("names every method of %o", ({ prototype }) => {
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
    expect(methods.length).toBeGreaterThan(5);
    expect(methods.filter((name) => !names.has(name))).toEqual([]);
  });
});

const page = readFileSync("docs/reference/library.md", "utf8");

/** The options of a method as the reference has them: `method(…, { one?, two? })`. */
function documented(): [method: string, options: string[]][] {
  return tableRows(page).flatMap(([first = ""]) =>
    codeSpans(first.replaceAll("\\|", "|")).flatMap((code) => {
      const [, method, list] = /^(\w+)\((?:[^{}]*, )?\{ ([\w?, …]+) \}\)$/.exec(code) ?? [];
      if (method === undefined || list === undefined || list.includes("…")) return [];
      return [[method, list.split(", ").map((name) => name.replace("?", ""))] as [string, string[]]];
    }),
  );
}

const source = sourceText(
  "src/store",
  "src/formats",
  "src/message",
  "src/transcript",
  "src/agent",
  "src/gateway",
);

/** The properties of the last parameter of each method or function of this name, if that is an object. */
function optionsOf(method: string): string[][] {
  const name = new RegExp(`^(?:  |export )(?:async )?(?:function\\*? )?\\*?${method}(?:<[^(]*>)?\\(`, "gm");
  return [...source.matchAll(name)].flatMap(({ index, 0: begun }) => {
    const start = index + begun.length;
    const [parameters = ""] = source.slice(start, source.indexOf("\n  }", start)).split(/\)(?:: | \{)/);
    const [, inline, type] =
      /\w+\??: (?:(\{[^}]*\})|(\w+)(?:<[^>]*>)?)(?: = (?:\{\}|\w+))?,?\s*$/.exec(parameters) ?? [];
    const found = inline === undefined ? propertiesOf(type ?? "") : propertiesIn(inline);
    return found === undefined ? [] : [[...new Set(found)].sort()];
  });
}

function propertiesOf(type: string): string[] | undefined {
  const found = new RegExp(`interface ${type}\\b[^{]*\\{`).exec(source);
  if (found === null) return undefined;
  const [, parent] = /extends (\w+)/.exec(found[0]) ?? [];
  const start = found.index + found[0].length;
  const own = propertiesIn(source.slice(start, source.indexOf("\n}", start)));
  return [...own, ...(parent === undefined ? [] : (propertiesOf(parent) ?? []))];
}

function propertiesIn(text: string): string[] {
  return [...text.matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name as string);
}

describe("the options of methods in the reference of the library", () => {
  // What `redact` takes is a union, of which the reference lists every part.
  const methods = documented().filter(([method]) => method !== "redact");

  it("are found", () => {
    expect(methods.length).toBeGreaterThan(15);
  });

  it.each(methods)("%s has those of the source", (method, options) => {
    expect(optionsOf(method)).toContainEqual([...options].sort());
  });
});
