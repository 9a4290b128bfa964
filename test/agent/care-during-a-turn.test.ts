/** Erasing, backup and copying while an agent answers, with jobs that are still to be done. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { type Conversation, openStore, restoreBackup, type Store } from "../../src/index.ts";
import { textOf } from "../../src/message/index.ts";
import { ENGINES } from "../process/child-process.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";
import { tempFolder } from "../support/temp-folder.ts";

const KEY = "cli:default";
const NAME = { queue: "inbox", id: "m:1" };
const WHOLE = ["user: Go", "assistant: Wait. ", "user: done", "assistant: Answered."];

async function said(chat: Conversation): Promise<string[]> {
  const { items } = await chat.messages();
  expect((await chat.context({ maxTokens: 100_000 })).ledger.repaired).toEqual([]);
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

/** A message with a job, and an agent that answers it; `during` happens while its tool runs. */
async function answer(store: Store, during: (chat: Conversation) => Promise<void>): Promise<Conversation> {
  const chat = await store.open(KEY);
  await chat.append({ role: "user", content: "The secret word is opal", id: "old" });
  await chat.append(
    { role: "user", content: "Go", id: NAME.id },
    { jobs: [{ ...NAME, data: { entry: NAME.id } }] },
  );
  const tool: Tool = {
    ...{ name: "meanwhile", description: "Takes its time", inputSchema: { type: "object" } },
    async run() {
      await during(chat);
      return "done";
    },
  };
  const model = scriptedModel([["Wait. ", { call: "meanwhile" }], ["Answered."]]);
  const loop = new AgentLoop({ store, key: KEY, model, tools: [tool] });
  expect((await loop.answer(NAME.id)).reply).toBe("Answered.");
  // An error of the tool, and so of `during`, would be here instead.
  expect((await said(chat)).slice(-4)).toEqual(WHOLE);
  return chat;
}

describe.each(ENGINES)("while an agent answers on %s", (engine) => {
  const target = (): string => `${engine}:${join(tempFolder(), "store")}`;

  it("a message is erased, by this process or another, and the answer is complete", async () => {
    const place = target();
    await using store = await openStore(place);
    const chat = await answer(store, async () => {
      await using other = await openStore(place);
      const there = await other.get(KEY);
      await there?.redact("old");
      await store.jobs.change({ put: [{ queue: "later", id: "x", conversation: null, data: {} }] });
    });
    expect(JSON.stringify((await chat.entries({ all: true })).items)).not.toContain("opal");
    expect((await store.jobs.get(NAME.queue, NAME.id))?.data).toEqual({ entry: NAME.id });
    expect((await store.verify()).findings).toEqual([]);
  });

  it("a backup has the job and what was said so far, and answers once when it is used", async () => {
    const folder = join(tempFolder(), "backup");
    await using store = await openStore(target());
    await answer(store, async () => void (await store.backup(folder)));
    expect((await store.verify()).findings).toEqual([]);
    const restored = target();
    await restoreBackup(folder, restored);
    await using copy = await openStore(restored);
    expect(await copy.jobs.get(NAME.queue, NAME.id)).toMatchObject({ data: { entry: NAME.id } });
    const model = scriptedModel([["Later."], ["Never."]]);
    const loop = new AgentLoop({ store: copy, key: KEY, model });
    for (const _ of [1, 2]) expect((await loop.answer(NAME.id)).reply).toBe("Later.");
    const lines = await said(await loop.conversation());
    expect(lines.slice(1, 3)).toEqual(WHOLE.slice(0, 2));
    expect(lines[3]).toMatch(/not known whether it finished/);
    expect(lines.slice(4)).toEqual(["assistant: Later."]);
    expect((await copy.verify()).findings).toEqual([]);
  });

  it("a copy to another engine leaves the conversation behind, and takes it with its job afterwards", async () => {
    const other = ENGINES.find((name) => name !== engine) ?? engine;
    await using copy = await openStore(`${other}:${join(tempFolder(), "copy")}`);
    await using store = await openStore(target());
    const chat = await answer(store, async () => {
      const { skipped } = await store.copyTo(copy);
      expect(skipped.map(({ reason }) => reason)).toEqual([
        expect.stringContaining("An answer is in progress"),
      ]);
      expect(await copy.jobs.get(NAME.queue, NAME.id)).toBeUndefined();
    });
    await store.copyTo(copy);
    const there = await copy.get(KEY);
    expect(there && (await said(there))).toEqual(await said(chat));
    expect(await copy.jobs.get(NAME.queue, NAME.id)).toMatchObject({ data: { entry: NAME.id } });
    expect((await copy.verify()).findings).toEqual([]);
  });
});
