import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";

describe("$include", () => {
  it("takes a file or a list of files, at any depth; later ones win", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ $include: ['a.json5', './sub/b.json5'], ui: { deep: { $include: 'c.json5' } } }",
      "a.json5": "{ update: { x: 1, y: 1 } }",
      "sub/b.json5": "{ $include: '../c2.json5', update: { y: 2 } }",
      "c2.json5": "{ update: { z: 3 } }",
      "c.json5": "[1, 2]",
    });
    expect((await folder.load()).value).toMatchObject({ update: { x: 1, y: 2, z: 3 }, ui: { deep: [1, 2] } });
  });

  it("joins lists, and lets the keys beside it win", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ tools: { $include: 'a.json5', allow: ['c'], profile: 'mine' } }",
      "a.json5": "{ allow: ['a', 'b'], profile: 'theirs' }",
    });
    expect((await folder.load()).value.tools).toEqual({ allow: ["a", "b", "c"], profile: "mine" });
  });

  it("is followed ten files deep, and not eleven", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { $include: '1.json5' } }" });
    for (let depth = 1; depth < 10; depth++)
      folder.write(`${depth}.json5`, `{ $include: '${depth + 1}.json5' }`);
    folder.write("10.json5", "{ end: true }");
    expect((await folder.load()).value.ui).toEqual({ end: true });
    folder.write("10.json5", "{ $include: '11.json5' }");
    folder.write("11.json5", "{}");
    const error = await folder.failure();
    expect(error.message).toMatch(
      /10\.json5:1:13: Includes are nested deeper than 10 files \(at ui\.\$include\)/,
    );
  });

  it("goes through links that stay inside, and notices when one comes to point elsewhere", async () => {
    using folder = new TrialFolder({
      "colloquy.json": "{ ui: { $include: 'link.json5' } }",
      "a.json5": "{ a: 1 }",
    });
    symlinkSync(folder.path("a.json5"), folder.path("link.json5"));
    expect((await folder.load()).value.ui).toEqual({ a: 1 });
    folder.write("b.json5", "{ b: 2 }");
    unlinkSync(folder.path("link.json5"));
    symlinkSync(folder.path("b.json5"), folder.path("link.json5"));
    expect((await folder.load()).value.ui).toEqual({ b: 2 });
  });

  it("of a config that is itself a link starts at the location of the link", async () => {
    using folder = new TrialFolder({ "a.json5": "{ a: 1 }" });
    mkdirSync(join(folder.home, "dotfiles"));
    writeFileSync(join(folder.home, "dotfiles/c.json"), "{ ui: { $include: 'a.json5' } }");
    symlinkSync(join(folder.home, "dotfiles/c.json"), folder.path("colloquy.json"));
    expect((await folder.load()).value.ui).toEqual({ a: 1 });
  });

  it("that multiplies is stopped", async () => {
    const ten = (name: string): string => `{ $include: [${Array(10).fill(`'${name}'`).join()}] }`;
    using folder = new TrialFolder({ "colloquy.json": ten("1.json5"), "5.json5": "{}" });
    for (let depth = 1; depth < 5; depth++) folder.write(`${depth}.json5`, ten(`${depth + 1}.json5`));
    expect((await folder.failure()).message).toMatch(/more than 1000 includes/);
  });
});
