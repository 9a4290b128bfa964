import { describe, expect, it } from "vitest";
import { legacyTwins } from "../../../test/support/samples/legacy-twins.ts";
import { createWithKeys } from "../../../test/support/samples/old-keys.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { EphemeralEngine } from "../../engine/ephemeral/ephemeral-engine.ts";
import { importConversations } from "../../formats/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import type { ReadyEntry } from "../../store/write/ingest.ts";
import type { Fixed } from "../finding.ts";
import { checkKeys } from "./twins.ts";

async function storeWith(keys: readonly string[]): Promise<{ store: Store; ids: string[] }> {
  const engine = new EphemeralEngine();
  const ids = await createWithKeys(engine, keys);
  let nowMs = Date.UTC(2026, 5, 1);
  // No two messages have the same time: the conversation that was used last keeps the key.
  const store = await openStore(engine, { clock: () => nowMs++ });
  return { store, ids };
}

async function say(store: Store, id: string | undefined, ...texts: string[]): Promise<void> {
  const chat = await store.get(id as string);
  for (const content of texts) await chat?.append({ role: "user", content });
}

async function wordsOf(store: Store, id: string, branch: string): Promise<unknown[]> {
  const entries = await Array.fromAsync((await store.get(id))?.messages({ branch }) ?? []);
  return entries.map(({ message }) => message.content);
}

it("conversations that were left for new ones are not joined with them", async () => {
  await using store = await openStore("ephemeral:");
  for (const words of ["one", "two", "three"]) {
    await say(store, (await store.startOver("cli:default")).id, words);
  }
  const fixed: Fixed[] = [];
  expect((await checkKeys(store, fixed)).findings).toEqual([]);
  expect(fixed).toEqual([]);
  expect((await store.list()).items).toHaveLength(3);
});

describe("conversations with keys of an earlier version", () => {
  it("are found and joined, with every message", async () => {
    const { store, ids } = await storeWith(["CLI:Default", "cli:local", "cli:default", "web:A"]);
    await using _ = store;
    const [one, two, three] = ids as [string, string, string];
    await say(store, three, "c1");
    await say(store, one, "a1", "a2");
    const chat = await store.get(one);
    await chat?.branch((await chat.messages()).items[0]?.id ?? null, { name: "side", checkout: true });
    await say(store, one, "a3");
    await say(store, two, "b1", "b2");
    const { findings } = await checkKeys(store, undefined);
    expect(findings).toMatchObject([{ code: "twin-keys", details: { key: "cli:default" } }]);
    expect(findings[0]?.what).toContain("cli:local, CLI:Default, cli:default");

    const fixed: Fixed[] = [];
    expect((await checkKeys(store, fixed)).findings).toEqual([]);
    expect(fixed).toHaveLength(1);
    expect((await checkKeys(store, undefined)).findings).toEqual([]);
    const { items } = await store.list();
    expect(items.map(({ key }) => key).sort()).toEqual(["cli:default", "web:A"]);
    expect((await store.get("CLI:Default"))?.id).toBe(two);
    expect(await wordsOf(store, two, "main")).toEqual(["b1", "b2"]);
    expect(await wordsOf(store, two, "joined CLI:Default")).toEqual(["a1", "a2"]);
    expect(await wordsOf(store, two, "joined CLI:Default side")).toEqual(["a1", "a3"]);
    expect(await wordsOf(store, two, "joined cli:default")).toEqual(["c1"]);
    expect((await store.list({ trash: true })).items.map(({ id }) => id).sort()).toEqual([one, three]);
  });

  it("keep both versions of an entry that has the same id in both", async () => {
    const { store, ids } = await storeWith(["CLI:Default", "cli:default"]);
    await using _ = store;
    for (const [index, id] of ids.entries())
      await (await store.get(id))?.append([
        { id: "same", role: "user", content: "Equal" },
        { id: "other", role: "assistant", content: `Answer ${index}` },
      ]);
    await checkKeys(store, []);
    const [, kept] = ids as [string, string];
    expect(await wordsOf(store, kept, "main")).toEqual(["Equal", "Answer 1"]);
    const all = await Array.fromAsync((await store.snapshot(kept)).log());
    const words = all.map(({ message }) => message?.content).filter((text) => text !== undefined);
    expect(words.sort()).toEqual(["Answer 0", "Answer 1", "Equal"]);
  });

  it("keep undone compactions, empty branches and what is known beside the entries", async () => {
    const { store, ids } = await storeWith(["CLI:Default", "cli:default"]);
    await using _ = store;
    const [one, two] = ids as [string, string];
    await say(store, one, "a1", "a2", "a3", "a4");
    const chat = (await store.get(one)) as Conversation;
    const entries = (await chat.messages()).items;
    const compaction = await chat.compact({ keepMessages: 1, summarize: async () => "A summary" });
    await chat.undoCompaction(compaction?.id as string);
    await chat.branch(entries[1]?.id as string, { name: "later", checkout: false });
    await chat.branch(null, { name: "fresh", checkout: false });
    await chat.update({ title: "One", model: "m", contextState: { strategy: "sandwich" } });
    await say(store, two, "b1");
    await (await store.get(two))?.update({ title: "Two" });

    const fixed: Fixed[] = [];
    await checkKeys(store, fixed);
    expect(fixed.map(({ what }) => what)).toEqual([
      expect.stringMatching(
        /; the context state of joined CLI:Default is in its last entry and has no effect there$/,
      ),
    ]);
    const kept = (await store.get("cli:default")) as Conversation;
    expect(await kept.info()).toMatchObject({
      id: two,
      title: "Two",
      contextState: null,
      compactionCount: 0,
    });
    const branches = await kept.branches();
    expect(branches.map(({ name }) => name).sort()).toEqual([
      ...["joined CLI:Default", "joined CLI:Default fresh", "joined CLI:Default later", "main"],
    ]);
    expect(await wordsOf(store, two, "joined CLI:Default later")).toEqual(["a1", "a2"]);
    expect(await wordsOf(store, two, "joined CLI:Default fresh")).toEqual([]);
    const { messages } = await kept.context({ branch: "joined CLI:Default", maxTokens: 10_000 });
    expect(JSON.stringify(messages)).not.toContain("A summary");
    expect(JSON.stringify(messages)).toContain("a1");
    const last = (await kept.entries({ branch: "joined CLI:Default", last: 1 })).items[0];
    expect(last).toMatchObject({
      kind: "info",
      data: {
        type: "joined",
        conversation: one,
        title: "One",
        model: "m",
        context_state: { strategy: "sandwich" },
      },
    });
  });

  it("leave a compaction that both have as it is in the one that keeps the key, and say so", async () => {
    const { store, ids } = await storeWith(["CLI:Default", "cli:default"]);
    await using _ = store;
    const [one, two] = ids as [string, string];
    const ingest = store.ingest();
    for (const [index, id] of ids.entries()) {
      const data = { summary: "A summary", first_kept: "m2", strategy: "summary" };
      const message = (name: string): ReadyEntry =>
        ingest.message(name, 0, { role: "user", content: name }, false);
      await ingest.append(id, undefined, [message("m1"), message("m2")], false);
      await ingest.append(id, undefined, [ingest.other("compaction", "c", 0, data)], false);
      await say(store, id, `own ${index}`);
    }
    await (await store.get(one))?.undoCompaction("c");
    const fixed: Fixed[] = [];
    expect((await checkKeys(store, fixed)).findings).toEqual([]);
    expect(fixed[0]?.what).toMatch(/; the compaction c was undone in joined CLI:Default only$/);
    expect(await (await store.get("cli:default"))?.info()).toMatchObject({ id: two, compactionCount: 1 });
  });

  it("are renamed where there is only one", async () => {
    const { store, ids } = await storeWith(["Telegram:+1 (234) 567-8900"]);
    await using _ = store;
    await say(store, ids[0], "Hello");
    expect((await checkKeys(store, undefined)).findings).toMatchObject([{ code: "old-key" }]);
    await checkKeys(store, []);
    expect((await store.get("telegram:+12345678900"))?.id).toBe(ids[0]);
    expect((await checkKeys(store, undefined)).findings).toEqual([]);
  });

  it("that a copy marked are joined, too", async () => {
    const { store } = await storeWith(["CLI:Default", "cli:default"]);
    await using _ = store;
    await using copy = await openStore("ephemeral:");
    await store.copyTo(copy);
    expect((await checkKeys(copy, undefined)).findings).toMatchObject([{ code: "twin-keys" }]);
    await checkKeys(copy, []);
    expect((await copy.list()).items.map(({ key }) => key)).toEqual(["cli:default"]);
  });

  it.each([
    ["read in place", legacyTwins],
    ["imported", importedTwins],
  ])("of legacy files that are %s are joined, too", async (_, make) => {
    await using store = await openStore(`jsonl:${await make()}`);
    expect((await checkKeys(store, undefined)).findings).toMatchObject([
      { code: "twin-keys", details: { key: "cli:default", conversations: { length: 3 } } },
    ]);
    expect((await checkKeys(store, [])).findings).toEqual([]);
    const { items } = await store.list();
    expect(items).toMatchObject([{ key: "cli:default", messageCount: 3, branchCount: 3 }]);
    expect(await wordsOf(store, items[0]?.id as string, "main")).toEqual(["two"]);
  });
});

async function importedTwins(): Promise<string> {
  const folder = tempFolder();
  await using store = await openStore(`jsonl:${folder}`);
  await importConversations(store, [legacyTwins()]);
  return folder;
}
