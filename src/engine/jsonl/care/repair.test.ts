import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";

function open(folder: string): Promise<Store> {
  return openStore(`jsonl:${folder}`, { onProblem: () => {} });
}

async function filled(batches: readonly (readonly string[])[]): Promise<string> {
  const folder = join(tempFolder(), "store");
  await using store = await open(folder);
  const chat = await store.open("cli:a", { title: "Kept" });
  for (const batch of batches) await chat.append(batch.map((content) => ({ role: "user", content })));
  return folder;
}

function named(folder: string, pattern: RegExp): string {
  return join(folder, readdirSync(folder).find((name) => pattern.test(name)) as string);
}

const LOG = /^\d{17}\.jsonl$/;
const METADATA = /^\d{17}\.meta\.json$/;

function spoil(path: string, words: string, others: string): void {
  writeFileSync(path, readFileSync(path, "utf8").replace(words, others));
}

async function contents(store: Store): Promise<unknown[]> {
  const { items } = (await (await store.get("cli:a"))?.messages({ limit: 100 })) ?? { items: [] };
  return items.map(({ message }) => message?.content);
}

describe("the repair of a JSONL store", () => {
  it("sets bad lines aside byte for byte, with their positions, and the rest is unchanged", async () => {
    const folder = await filled([["one"], ["two"], ["three"], ["four"]]);
    const log = named(folder, LOG);
    spoil(log, '"two"', '"tvo"');
    spoil(log, '{"role":"user","content":"four"', "not JSON at all".padEnd(31, "!"));
    const [, , two, , four] = readFileSync(log, "utf8").split("\n");
    await using store = await open(folder);
    const before = await contents(store);
    const { repaired, findings } = await store.repair();
    expect(repaired.map(({ code, line }) => [code, line])).toEqual([
      ["bad-line", 3],
      ["bad-line", 5],
    ]);
    // The parent of what followed a lost line cannot be made up.
    expect(findings.map(({ code }) => code)).toEqual(["dangling-parent"]);
    const aside = readFileSync(named(folder, /\.jsonl\.bad-/), "utf8").split("\n");
    expect([aside[1], aside[3]]).toEqual([two, four]);
    expect(JSON.parse(aside[0] as string)).toMatchObject({
      file: log,
      line: 3,
      reason: "checksum does not match",
    });
    expect(readFileSync(log, "utf8")).not.toContain("tvo");
    expect(await contents(store)).toEqual(before);
    await (await store.open("cli:a")).append({ role: "user", content: "five" });
    expect(await contents(store)).toEqual([...before, "five"]);
    expect((await store.repair()).repaired).toEqual([]);
  });

  it("keeps the remaining lines of an append whose last line is bad", async () => {
    const folder = await filled([["one"], ["two", "three"]]);
    spoil(named(folder, LOG), '"three"', '"thrwe"');
    await using store = await open(folder);
    await store.repair();
    expect(await contents(store)).toEqual(["one", "two"]);
    await store.close();
    await using again = await open(folder);
    expect(await contents(again)).toEqual(["one", "two"]);
    expect((await again.verify()).findings).toEqual([]);
  });

  it("never reuses the number of a quarantined line", async () => {
    const folder = await filled([["one"], ["two"]]);
    spoil(named(folder, LOG), '"two"', '"twi"');
    await using store = await open(folder);
    await store.repair();
    const [entry] = (await (await store.open("cli:a")).append({ role: "user", content: "three" })).entries;
    expect(entry?.seq).toBe(3);
  });

  it("rebuilds counts and metadata, sets a torn tail aside, and finds nothing afterwards", async () => {
    for (const damage of [
      (folder: string) => rmSync(named(folder, METADATA)),
      (folder: string) => writeFileSync(named(folder, METADATA), "{"),
      (folder: string) => appendFileSync(named(folder, LOG), '{"role":"user","conte'),
      (folder: string) => spoil(named(folder, METADATA), "", " "),
    ]) {
      const folder = await filled([["one"], ["two"]]);
      for (const name of readdirSync(folder)) if (name.endsWith(".bak")) rmSync(join(folder, name));
      damage(folder);
      await using store = await open(folder);
      const { repaired, findings } = await store.repair();
      expect(repaired.length).toBeGreaterThan(0);
      expect(findings).toEqual([]);
      expect(await contents(store)).toEqual(["one", "two"]);
    }
  });

  it("works on the trash too, and leaves a healthy store alone", async () => {
    const folder = await filled([["one"], ["two"]]);
    await using store = await open(folder);
    const names = (): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    const before = names();
    expect(await store.repair()).toMatchObject({ repaired: [], findings: [], ok: true });
    expect(names()).toEqual(before);
    const { id } = await store.delete("cli:a");
    spoil(named(join(folder, "trash"), LOG), '"two"', '"twu"');
    expect((await store.repair()).repaired).toMatchObject([{ code: "bad-line", conversation: id }]);
    expect((await store.verify()).findings).toEqual([]);
    await store.restore(id);
    expect(await contents(store)).toEqual(["one"]);
  });

  it("cannot restore a lost transcript, and keeps reporting it", async () => {
    const folder = await filled([["one"]]);
    rmSync(named(folder, LOG));
    await using store = await open(folder);
    const { repaired, findings } = await store.repair();
    expect(repaired).toEqual([]);
    expect(findings).toMatchObject([{ code: "missing-log" }]);
  });
});
