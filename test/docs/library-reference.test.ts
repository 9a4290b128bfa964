import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Conversation } from "../../src/store/conversation.ts";
import { Store } from "../../src/store/store.ts";
import { Transcript } from "../../src/transcript/index.ts";

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
