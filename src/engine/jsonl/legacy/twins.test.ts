import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { legacyTwins } from "../../../../test/support/samples/legacy-twins.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";

async function keysOf(store: Store): Promise<Record<string, string | null>> {
  const { items } = await store.list();
  const found = await Promise.all(
    items.map(async ({ id, key }) => {
      const entries = (await (await store.get(id))?.messages())?.items ?? [];
      return [String(entries[0]?.message.content), key === null ? null : key.replace(id, "ID")] as const;
    }),
  );
  return Object.fromEntries(found);
}

const SETTLED = { one: "cli:default~ID", two: "cli:default", three: "cli:default~ID" };

describe("legacy files that have one session key", () => {
  it("keep it with the one that was used last, and the others are marked with their id", async () => {
    const folder = legacyTwins();
    await using store = await openStore(`jsonl:${folder}`, { readonly: true });
    expect(await keysOf(store)).toEqual(SETTLED);
    const { items } = await store.list();
    for (const { id, key } of items) expect((await store.get(key as string))?.id).toBe(id);
    expect((await store.get("CLI:Default"))?.id).toBe(items[0]?.id);
  });

  it("follow the legacy program that continues one of them", async () => {
    const folder = legacyTwins();
    await using store = await openStore(`jsonl:${folder}`, { readonly: true });
    expect(await keysOf(store)).toEqual(SETTLED);
    const line = { role: "user", content: "later", timestamp: "2025-03-20T10:00:00Z" };
    appendFileSync(join(folder, "one.jsonl"), `${JSON.stringify(line)}\n`);
    expect(await keysOf(store)).toEqual({
      one: "cli:default",
      two: "cli:default~ID",
      three: "cli:default~ID",
    });
  });

  it.each([
    ["one", 2],
    ["two", 0],
    ["three", 1],
  ])("keep their keys when %s is written first, and when all are migrated", async (name, place) => {
    const folder = legacyTwins();
    {
      await using store = await openStore(`jsonl:${folder}`);
      const id = (await store.list()).items[place]?.id as string;
      const chat = await store.get(id);
      expect((await chat?.messages())?.items[0]?.message.content).toBe(name);
      await chat?.update({ title: "Written" });
      expect(await keysOf(store)).toEqual(SETTLED);
      const report = await store.migrateLegacy();
      expect(report).toMatchObject({ conversations: 2, verified: true, skipped: [] });
      expect(await keysOf(store)).toEqual(SETTLED);
    }
    await using store = await openStore(`jsonl:${folder}`);
    expect(await keysOf(store)).toEqual(SETTLED);
  });

  it("give the key to the next one when the holder moves to the trash", async () => {
    const folder = legacyTwins();
    await using store = await openStore(`jsonl:${folder}`);
    const [holder] = (await store.list()).items;
    await store.delete(holder?.id as string);
    const expected = { one: "cli:default~ID", three: "cli:default" };
    expect(await keysOf(store)).toEqual(expected);
    await using other = await openStore(`jsonl:${folder}`, { readonly: true });
    expect(await keysOf(other)).toEqual(expected);
  });

  it("keep their keys in a copy", async () => {
    await using store = await openStore(`jsonl:${legacyTwins()}`, { readonly: true });
    await using copy = await openStore("ephemeral:");
    expect(await store.copyTo(copy)).toMatchObject({ verified: true, skipped: [] });
    expect(await keysOf(copy)).toEqual(SETTLED);
  });
});
