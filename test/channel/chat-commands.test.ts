import { describe, expect, it } from "vitest";
import { findCommand } from "../../src/channel/commands/chat-commands.ts";
import { openStore, type Store } from "../../src/index.ts";

const KEY = "discord:dm:42";

async function typed(store: Store, text: string): Promise<string | undefined> {
  const found = findCommand(text);
  return found?.command.run({ store, key: KEY }, found.argument);
}

async function filled(): Promise<Store> {
  const store = await openStore("ephemeral:");
  const chat = await store.open(KEY);
  await chat.append([
    { role: "user", content: "What did we\ndecide?" },
    { role: "assistant", content: "SQLite." },
  ]);
  return store;
}

describe("commands in a chat", () => {
  it("are recognised by their name only", () => {
    expect(findCommand(" /HISTORY  20 ")?.argument).toBe("20");
    for (const text of ["history", "/unknown", "//new", "/new/../x", "please /new", ""]) {
      expect(findCommand(text)).toBe(undefined);
    }
  });

  it("/new starts a conversation under the same key and keeps the former one", async () => {
    await using store = await filled();
    const former = await store.get(KEY);
    expect(await typed(store, "/new")).toContain("is kept");
    const fresh = await store.open(KEY);
    expect(fresh.id).not.toBe(former?.id);
    expect((await store.list()).items).toHaveLength(2);
    expect(await typed(store, "/new")).toContain("new already");
    expect((await store.list()).items).toHaveLength(2);
  });

  it("/clear moves the conversation to the trash, with nothing left to do", async () => {
    await using store = await filled();
    const former = await store.open(KEY);
    await store.jobs.change({ put: [{ queue: "inbox:x", id: "1", conversation: former.id }] });
    expect(await typed(store, "/clear")).toContain("in the trash");
    expect((await store.list({ trash: true })).items.map(({ id }) => id)).toEqual([former.id]);
    expect((await store.jobs.list()).items).toEqual([]);
    expect(await typed(store, "/clear")).toBe("There is nothing to clear.");
  });

  it("/history shows the last messages, one a line", async () => {
    await using store = await filled();
    expect(await typed(store, "/history")).toBe("You: What did we decide?\nAgent: SQLite.");
    expect(await typed(store, "/history 1")).toBe("Agent: SQLite.");
    await typed(store, "/new");
    expect(await typed(store, "/history")).toBe("There are no messages yet.");
  });
});
