import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { piHeader, piSays } from "../../../test/formats/pi-session.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { sha256Hex } from "../../util/sha256.ts";
import { importConversations } from "./run.ts";

let folder: string;
let sources: string;
let place: string;
let target: string;

/** A record that waits for its entry, as long as the file may grow. */
const NOTE = `${JSON.stringify({ type: "custom_note", id: "n1", parentId: "a1", text: "CANARY waits" })}\n`;

function filesWith(text: string): string[] {
  return readdirSync(place, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(place, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

function ledgerFiles(): string[] {
  return readdirSync(place).filter((name) => name.includes("imports") && !name.includes("lock"));
}

async function imported(): Promise<Store> {
  const store = await openStore(target);
  await importConversations(store, [sources], { settleMs: 1e12 });
  return store;
}

async function purge(store: Store, key: string): Promise<readonly string[]> {
  return (await store.purge((await store.get(key))?.id as string, { force: true })).copies;
}

describe.each(["sqlite", "jsonl"])("a conversation that was purged from a %s store", (engine) => {
  beforeEach(() => {
    folder = tempFolder();
    sources = join(folder, "sources");
    place = join(folder, "store");
    mkdirSync(sources);
    mkdirSync(place);
    target = engine === "sqlite" ? `sqlite:${join(place, "store.db")}` : `jsonl:${place}`;
    writeFileSync(join(sources, "a.jsonl"), `${piHeader("a")}${piSays("a1", null, "CANARY said")}${NOTE}`);
    writeFileSync(join(sources, "b.jsonl"), piHeader("b") + piSays("b1", null, "harmless"));
  });

  it("leaves no words in any file beside the store", async () => {
    const store = await imported();
    expect(filesWith("CANARY").filter((name) => name.includes("imports"))).toEqual([]);
    expect(await purge(store, "pi:a")).toEqual([]);
    await store.close();
    expect(filesWith("CANARY")).toEqual([]);
    await (await imported()).close();
    expect(filesWith("CANARY")).toEqual([]);
  });

  it("leaves no words in the ledger when only an entry is redacted", async () => {
    const store = await imported();
    const chat = await store.get("pi:a");
    await chat?.update({ title: null });
    expect(await chat?.redact("a1")).toMatchObject({ entries: 1, copies: [] });
    await store.close();
    expect(filesWith("CANARY").filter((name) => name.includes("imports"))).toEqual([]);
    await using again = await openStore(target);
    await importConversations(again, [sources]);
    await importConversations(again, [sources], { again: true });
    expect(JSON.stringify(await (await again.get("pi:a"))?.info())).not.toContain("CANARY");
    expect(JSON.stringify(await (await again.get("pi:a"))?.messages())).not.toContain("CANARY said");
  });

  it("leaves no words in a ledger that was put back, or that a killed process left, after the next import", async () => {
    await (await imported()).close();
    const kept = ledgerFiles().map((name): [string, Buffer] => [name, readFileSync(join(place, name))]);
    const store = await openStore(target);
    await purge(store, "pi:a");
    await store.close();
    for (const [name, bytes] of kept) writeFileSync(join(place, name), bytes);
    await (await imported()).close();
    expect(filesWith("CANARY")).toEqual([]);
  });

  it.each([
    ["removed", (name: string) => rmSync(name)],
    ["damaged", (name: string) => writeFileSync(name, "this is not a database")],
    ["put back", (name: string) => cpSync(join(folder, "kept", name.split("/").at(-1) ?? ""), name)],
  ])("stays away when the ledger is %s, and comes back only when it is asked for", async (_, harm) => {
    await (await imported()).close();
    mkdirSync(join(folder, "kept"));
    for (const name of ledgerFiles()) cpSync(join(place, name), join(folder, "kept", name));
    {
      await using store = await openStore(target);
      await purge(store, "pi:a");
    }
    for (const name of ledgerFiles()) harm(join(place, name));
    await using store = await openStore(target);
    const report = await importConversations(store, [sources]);
    expect(report.messages).toBe(0);
    expect(report.imported.find(({ sourceId }) => sourceId === "a")?.flags).toEqual({ purged: 1 });
    expect(await store.get("pi:a")).toBeUndefined();
    expect(await importConversations(store, [sources], { dryRun: true })).toMatchObject({ messages: 0 });
    expect(await importConversations(store, [sources], { verify: true })).toMatchObject({ missing: [] });
    expect(await importConversations(store, [sources], { again: true })).toMatchObject({ messages: 1 });
  });

  it("is named in the receipt with ledgers that were set aside", async () => {
    await (await imported()).close();
    for (const name of ledgerFiles()) writeFileSync(join(place, name), "CANARY in a damaged ledger");
    const store = await imported();
    const copies = await purge(store, "pi:a");
    expect(copies.map((path) => path.slice(path.indexOf("imports")))).toEqual([
      expect.stringMatching(/^imports(\.db)?\.damaged-/),
    ]);
    await store.close();
  });

  it("takes only its own files out of the ledger, also when many are purged together", async () => {
    const store = await imported();
    await store.delete("pi:a");
    await store.retain({ trashDays: 1 }, { force: true });
    await purge(store, "pi:a").catch(() => {});
    expect(await importConversations(store, [join(sources, "b.jsonl")])).toMatchObject({ files: 1 });
    expect(await importConversations(store, [join(sources, "b.jsonl")])).toMatchObject({ unchanged: 1 });
    await purge(store, "pi:b");
    expect(await importConversations(store, [sources])).toMatchObject({ unchanged: 0, messages: 0 });
    await store.close();
  });

  it("does not come back as loose blobs, neither do words that were erased, and what is in use stays", async () => {
    const long = (name: string): string => `${name} ${"long words ".repeat(400_000)}`;
    const [purged, erased, kept] = ["CANARY a", "CANARY b", "kept"].map(long) as [string, string, string];
    writeFileSync(join(sources, "a.jsonl"), piHeader("a") + piSays("a1", null, purged));
    writeFileSync(
      join(sources, "b.jsonl"),
      piHeader("b") + piSays("b1", null, erased) + piSays("b2", "b1", kept),
    );
    const store = await imported();
    await purge(store, "pi:a");
    await (await store.get("pi:b"))?.redact("b1");
    await importConversations(store, [sources]);
    const stored = await Promise.all([purged, erased, kept].map((text) => store.blob(sha256Hex(text))));
    expect(stored.map((blob) => blob !== undefined)).toEqual([false, false, true]);
    expect((await (await store.get("pi:b"))?.messages())?.items.at(-1)?.message.content).toEqual(kept);
    await store.close();
  });
});
