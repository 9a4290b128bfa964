import { rmSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TrialFolder } from "../../../test/support/config-folder.ts";
import { type ConfigReads, systemReads } from "./files/reads.ts";

/** Counts how often a file is read. */
function counting(): { reads: ConfigReads; count: () => number } {
  let count = 0;
  const reads: ConfigReads = {
    ...systemReads,
    read(path, bytesMax) {
      count++;
      return systemReads.read(path, bytesMax);
    },
  };
  return { reads, count: () => count };
}

const FILES = {
  "colloquy.json": "{ $include: 'a.json5' }",
  "a.json5": "{ ui: { a: 1 } }",
  "config.d/1.json5": "{ ui: { b: 1 } }",
};

describe("the cache", () => {
  it("reads nothing again while nothing changes", async () => {
    using folder = new TrialFolder(FILES);
    const { reads, count } = counting();
    for (let time = 0; time < 3; time++) await folder.load({ reads });
    expect(count()).toBe(3);
  });

  it.each([
    ["the main file", "colloquy.json", "{ ui: { a: 2 } }"],
    ["an include", "a.json5", "{ ui: { a: 2 } }"],
    ["a patch", "config.d/1.json5", "{ ui: { a: 2 } }"],
    ["a new patch", "config.d/2.json5", "{ ui: { a: 2 } }"],
    ["a new .env", ".env", "A=2"],
  ])("notices a change of %s", async (_what, name, text) => {
    using folder = new TrialFolder(FILES);
    const before = await folder.load();
    folder.write(name, text);
    const after = await folder.load();
    expect([after.value, after.env]).not.toEqual([before.value, before.env]);
  });

  it("notices a change of the same length at once, by the time of the file", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    await folder.load();
    folder.write("colloquy.json", "{ ui: { a: 2 } }");
    utimesSync(folder.path("colloquy.json"), 1, 1);
    expect((await folder.load()).value.ui).toEqual({ a: 2 });
  });

  it("forgets after its time, and keeps nothing when that is 0", async () => {
    using folder = new TrialFolder(FILES);
    const { reads, count } = counting();
    let now = 0;
    const load = (cacheTtlMs?: number) =>
      folder.load({ reads, clock: () => now, ...(cacheTtlMs === undefined ? {} : { cacheTtlMs }) });
    await load();
    now = 44_999;
    await load();
    expect(count()).toBe(3);
    now = 45_000;
    await load();
    expect(count()).toBe(6);
    await load(0);
    expect(count()).toBe(9);
  });

  it("keeps configs with other overrides apart", async () => {
    using folder = new TrialFolder(FILES);
    const load = (value: number) => folder.load({ overrides: [{ path: ["ui", "a"], value }] });
    expect((await load(5)).value.ui).toMatchObject({ a: 5 });
    expect((await load(6)).value.ui).toMatchObject({ a: 6 });
  });

  it("keeps the environment of one caller from another", async () => {
    using folder = new TrialFolder(FILES);
    await folder.load({ env: { MY_TOKEN: "of somebody else", ONLY_THERE: "1" } });
    expect((await folder.load({ env: { MY_TOKEN: "mine" } })).env).toEqual({ MY_TOKEN: "mine" });
  });

  it("does not answer for a file that is gone", async () => {
    using folder = new TrialFolder({ "colloquy.json": "{ ui: { a: 1 } }" });
    await folder.load();
    rmSync(folder.path("colloquy.json"));
    expect((await folder.load()).exists).toBe(false);
  });
});
