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
      ["dangling-parent", null],
    ]);
    expect(findings).toEqual([]);
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
      // The opening has set a torn tail aside.
      if (!readdirSync(folder).some((name) => name.includes(".torn-")))
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

  it("records what is lost, so that it is reported once, and the conversation continues", async () => {
    const folder = await filled([["one"], ["two"]]);
    rmSync(named(folder, LOG));
    await using store = await open(folder);
    await expect(contents(store)).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    const { repaired, findings } = await store.repair();
    expect(repaired).toMatchObject([{ code: "missing-log", message: /2 messages/ }]);
    expect(findings).toEqual([]);
    const [entry] = (await (await store.open("cli:a")).append({ role: "user", content: "three" })).entries;
    expect(entry?.seq).toBe(3);
    expect((await store.get("cli:a"))?.id).toBe(repaired[0]?.conversation);
    expect((await store.repair()).repaired).toEqual([]);
  });

  it("marks what follows a lost line, before and after it, in pages and in the context", async () => {
    const folder = await filled([["one"], ["two"], ["three"], ["four"]]);
    spoil(named(folder, LOG), '"two"', '"tvo"');
    await using store = await open(folder);
    const flags = async (): Promise<unknown> => {
      const items = (await (await store.get("cli:a"))?.messages({ limit: 9 }))?.items ?? [];
      return items.map(({ message, flags: marks }) => [message?.content, marks ?? []]);
    };
    const before = await flags();
    expect(before).toEqual([
      ["one", []],
      ["three", ["parent-damaged"]],
      ["four", []],
    ]);
    expect((await store.repair()).findings).toEqual([]);
    expect(await flags()).toEqual(before);
    // Another repair rewrites nothing.
    expect((await store.repair()).repaired).toEqual([]);
    await store.close();
    await using again = await open(folder);
    expect((await again.verify()).findings).toEqual([]);
  });

  it("marks an entry whose parent another program removed, and sets copies aside", async () => {
    const folder = await filled([["one"], ["two"], ["three"]]);
    const log = named(folder, LOG);
    const [header, one, two, three] = readFileSync(log, "utf8").split("\n") as [
      string,
      string,
      string,
      string,
    ];
    writeFileSync(log, `${[header, one, three, one].join("\n")}\n`);
    const copy = join(folder, "20990101000000000.jsonl");
    writeFileSync(copy, [header, two, ""].join("\n"));
    await using store = await open(folder);
    const codes = (await store.repair()).repaired.map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(["bad-line", "dangling-parent", "duplicate-conversation"]));
    expect((await store.verify()).findings).toEqual([]);
    expect(await contents(store)).toEqual(["one", "three"]);
    expect(readFileSync(named(folder, /^20990101000000000\.jsonl\.bad-/), "utf8")).toContain('"two"');
  });

  it("writes a lost header again", async () => {
    const folder = await filled([["one"]]);
    spoil(named(folder, LOG), '"_type":"metadata"', '"_type":"metadatum"');
    await using store = await open(folder);
    expect((await store.repair()).findings).toEqual([]);
    const { id } = (await store.get("cli:a")) ?? {};
    await store.close();
    for (const name of readdirSync(folder)) if (name.includes(".meta.json")) rmSync(join(folder, name));
    await using again = await open(folder);
    expect((await again.get("cli:a"))?.id).toBe(id);
  });

  it("records missing and damaged blobs as lost, once", async () => {
    const folder = await filled([]);
    await using store = await open(folder);
    const chat = await store.open("cli:a");
    for (const letter of ["a", "b"]) {
      const content = letter.repeat(100_000) + Array.from({ length: 20_000 }, (_, n) => n % 7).join("");
      const block = { type: "tool_result", tool_use_id: letter, content } as const;
      await chat.append({ role: "user", content: [block] });
    }
    const blobs = readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes("/"))
      .map((name) => join(folder, "blobs", name));
    expect(blobs).toHaveLength(2);
    rmSync(blobs[0] as string);
    spoil(blobs[1] as string, "", "x");
    const { repaired, findings } = await store.repair();
    expect(repaired.map(({ code }) => code).sort()).toEqual(["bad-blob", "missing-blob"]);
    expect(findings).toEqual([]);
    expect((await store.repair()).repaired).toEqual([]);
    await store.purge(chat.id, { force: true });
    expect(
      readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) =>
        name.includes("/"),
      ),
    ).toEqual([]);
  });

  it.each([
    ["magic number", 16],
    ["length", 12],
    ["size", 8],
  ])("keeps a blob with a flipped bit in the %s of its end", async (_, fromEnd) => {
    const folder = await filled([]);
    const content = "word ".repeat(20_000);
    const said = { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] } as const;
    await using store = await open(folder);
    const chat = await store.open("cli:a");
    await chat.append(said);
    const [path = ""] = readdirSync(join(folder, "blobs"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".zst"))
      .map((name) => join(folder, "blobs", name));
    const sound = readFileSync(path);
    const bytes = Buffer.from(sound);
    const at = bytes.length - fromEnd + 1;
    bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(path, bytes);
    expect(await contents(store)).toEqual([said.content]);
    expect((await store.verify()).findings).toMatchObject([{ code: "bad-blob" }]);
    const { repaired, ok } = await store.repair();
    expect({ ok, repaired }).toMatchObject({ ok: true, repaired: [{ code: "bad-blob" }] });
    expect(readFileSync(path)).toEqual(sound);
    expect(await contents(store)).toEqual([said.content]);
  });
});
