/** The context state belongs to the branch that is checked out. */
import assert from "node:assert/strict";
import type { Conversation } from "../../../store/conversation.ts";
import { allMessages, type Bench, idOf, say, type Topic } from "../../kit.ts";

async function talked(bench: Bench): Promise<Conversation> {
  const chat = await (await bench.open()).create();
  await chat.append(say(...Array.from({ length: 12 }, (_, n) => `message ${n} `.repeat(40))));
  return chat;
}

async function summaryIn(chat: Conversation): Promise<unknown> {
  return (await chat.info()).contextState?.summary ?? null;
}

export const contextState: Topic = (check) => {
  check("the summary of a branch that was left is not shown, and is back on return", async (bench) => {
    const chat = await talked(bench);
    const [first] = await allMessages(chat);
    await chat.compact({ summarize: () => "OF MAIN", keepMessages: 2 });
    assert.equal(await summaryIn(chat), "OF MAIN");
    await chat.branch(idOf(first), { name: "before", checkout: true });
    assert.equal(await summaryIn(chat), null);
    await chat.append(say("one", "two", "three", "four"), { branch: "main" });
    await chat.compact({ summarize: () => "ELSEWHERE", keepMessages: 2, branch: "main" });
    assert.equal(await summaryIn(chat), null);
    await chat.checkout("main");
    assert.equal(await summaryIn(chat), "ELSEWHERE");
    await chat.edit(idOf((await allMessages(chat)).at(-1)), say("another end"), { name: "after" });
    await chat.replaceTranscript(say("a new start"));
    assert.equal(await summaryIn(chat), null);
  });

  check("a branch that leaves after a compaction has its summary", async (bench) => {
    const chat = await talked(bench);
    await chat.compact({ summarize: () => "SHARED", keepMessages: 2 });
    const { entries } = await chat.append(say("and then"));
    await chat.branch(idOf(entries[0]), { name: "after", checkout: true });
    await chat.append(say("on the branch"));
    assert.equal(await summaryIn(chat), "SHARED");
  });

  check("undoing the second of two compactions leaves the first", async (bench) => {
    const chat = await talked(bench);
    const first = await chat.compact({ summarize: () => "FIRST", keepMessages: 4 });
    await chat.append(say("one", "two", "three"));
    const second = await chat.compact({ summarize: () => "SECOND", keepMessages: 1 });
    assert.equal(await summaryIn(chat), "SECOND");
    await chat.undoCompaction(idOf(second));
    assert.equal(await summaryIn(chat), "FIRST");
    assert.match(JSON.stringify((await chat.context({ maxTokens: 50_000 })).messages), /FIRST/);
    await chat.undoCompaction(idOf(first));
    assert.equal(await summaryIn(chat), null);
  });

  check("redacting a message does not lose the summary of a compaction", async (bench) => {
    const chat = await talked(bench);
    await chat.compact({ summarize: () => "KEPT", keepMessages: 2 });
    await chat.redact(idOf((await allMessages(chat)).at(-1)));
    assert.equal(await summaryIn(chat), "KEPT");
  });

  check("the summary of a sandwich is used only on its branch", async (bench) => {
    const chat = await talked(bench);
    const [first] = await allMessages(chat);
    const asked: number[] = [];
    const summarize = (): string => `SANDWICH ${asked.push(0)}`;
    const options = { strategy: "sandwich", maxTokens: 2048 + 1400, summarize } as const;
    await chat.context(options);
    assert.equal(await summaryIn(chat), "SANDWICH 1");
    await chat.branch(idOf(first), { name: "other", checkout: true });
    assert.equal(await summaryIn(chat), null);
    await chat.append(say(...Array.from({ length: 12 }, (_, n) => `other ${n} `.repeat(40))));
    const { messages } = await chat.context(options);
    assert.doesNotMatch(JSON.stringify(messages), /SANDWICH 1/);
    assert.equal(await summaryIn(chat), "SANDWICH 2");
  });

  check("deleting and restoring return the state of the checked-out branch", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append(say("a", "b", "c", "d"));
    await chat.compact({ summarize: () => "OF MAIN", keepMessages: 1 });
    const summaries = async (): Promise<unknown[]> => [
      (await store.delete(chat.id)).contextState?.summary ?? null,
      (await store.restore(chat.id)).contextState?.summary ?? null,
    ];
    assert.deepEqual(await summaries(), ["OF MAIN", "OF MAIN"]);
    await chat.branch(idOf(entries[0]), { name: "before", checkout: true });
    assert.deepEqual(await summaries(), [null, null]);
  });

  check("lists show the same state, and a caller's own state stays", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say("a", "b", "c", "d"));
    await chat.compact({ summarize: () => "LISTED", keepMessages: 1 });
    assert.equal((await store.list()).items[0]?.contextState?.summary, "LISTED");
    const own = { note: "mine" };
    assert.deepEqual((await chat.update({ contextState: own })).contextState, own);
    await chat.branch(null, { name: "empty", checkout: true });
    assert.deepEqual((await chat.info()).contextState, own);
    await chat.update({ contextState: null });
    assert.equal(await summaryIn(chat), null);
    await chat.checkout("main");
    assert.equal(await summaryIn(chat), "LISTED");
  });
};
