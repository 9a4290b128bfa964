import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { allMessages, refuses, type Topic, texts } from "../kit.ts";

const hello = { role: "user", content: "hello", id: "m1" } as const;
const HASH = "0".repeat(64);

type Calls = Readonly<Record<string, (store: Store, chat: Conversation) => Promise<unknown>>>;

const READING: Calls = {
  get: (store, chat) => store.get(chat.id),
  list: (store) => store.list(),
  verify: (store) => store.verify(),
  counts: (store) => store.counts(),
  stats: (store) => store.stats(),
  blob: (store) => store.blob(HASH),
  "conversation.info": (_, chat) => chat.info(),
  "conversation.messages": (_, chat) => chat.messages(),
  "conversation.messagesText": (_, chat) => chat.messagesText(),
  "conversation.entries": (_, chat) => chat.entries(),
  "conversation.context": (_, chat) => chat.context({ maxTokens: 50_000 }),
  "conversation.branches": (_, chat) => chat.branches(),
  "conversation.labels": (_, chat) => chat.labels(),
  "conversation.compare": (_, chat) => chat.compare("main", "main"),
  "conversation.turn": (_, chat) => chat.turn(),
  "conversation.follow": (_, chat) => Array.fromAsync(chat.follow()),
};

const summarize = (): string => "summary";

const WRITING: Calls = {
  open: (store) => store.open("cli:new"),
  create: (store) => store.create(),
  delete: (store, chat) => store.delete(chat.id),
  restore: (store, chat) => store.restore(chat.id),
  purge: (store, chat) => store.purge(chat.id, { force: true }),
  retain: (store) => store.retain({ maxAgeDays: 1 }),
  putBlob: (store) => store.putBlob(Buffer.from("bytes")),
  collectGarbage: (store) => store.collectGarbage(),
  "conversation.append": (_, chat) => chat.append(hello),
  "conversation.update": (_, chat) => chat.update({ title: "x" }),
  "conversation.branch": (_, chat) => chat.branch(null),
  "conversation.checkout": (_, chat) => chat.checkout("main"),
  "conversation.flatten": (_, chat) => chat.flatten(),
  "conversation.pruneBranches": (_, chat) => chat.pruneBranches({ keep: 0 }),
  "conversation.edit": (_, chat) => chat.edit("m1", { role: "user", content: "x" }),
  "conversation.regenerate": (_, chat) => chat.regenerate("m1"),
  "conversation.label": (_, chat) => chat.label("m1", "x"),
  "conversation.replaceTranscript": (_, chat) => chat.replaceTranscript({ role: "user", content: "x" }),
  "conversation.compact": (_, chat) => chat.compact({ summarize, keepMessages: 0 }),
  "conversation.undoCompaction": (_, chat) => chat.undoCompaction("m1"),
  "conversation.summarizeBranch": (_, chat) => chat.summarizeBranch("main", { summarize }),
  "conversation.redact": (_, chat) => chat.redact("m1"),
  "conversation.beginTurn": (_, chat) => chat.beginTurn(),
  "conversation.lease": (_, chat) => chat.lease(),
};

const IN_A_ROW: Calls = {
  ...READING,
  ...WRITING,
  "iterating over messages": (_, chat) => Array.fromAsync(chat.messages({ limit: 1 })),
  "iterating over a list": (store) => Array.fromAsync(store.list({ limit: 1 })),
  copyTo: async (store) => {
    await using target = await openStore("ephemeral:");
    return store.copyTo(target);
  },
  "an append that is refused": (_, chat) => chat.append({ ...hello, content: "other words" }),
};

/** Much longer than calls may keep a timer waiting. */
const PATIENCE_MS = 40;
/** A call counts for no more: the process may have slept meanwhile. */
const CALL_MS_MAX = 4;

/** Await one call after the other until a timer fires. False if none does. */
async function letsTimersFire(call: () => Promise<unknown>): Promise<boolean> {
  let fired = false;
  const timer = setTimeout(() => {
    fired = true;
  }, 1);
  for (let spentMs = 0; !fired && spentMs < PATIENCE_MS; ) {
    const began = performance.now();
    await call().catch(() => {});
    spentMs += Math.min(CALL_MS_MAX, performance.now() - began);
  }
  clearTimeout(timer);
  return fired;
}

export const lifetime: Topic = (check) => {
  for (const [name, call] of Object.entries({ ...READING, ...WRITING })) {
    check(`${name} fails clearly on a closed store`, async (bench) => {
      const store = await bench.open();
      const chat = await store.create();
      await store.close();
      await refuses("SERVICE_UNAVAILABLE", call(store, chat), /closed/);
    });
  }

  check("awaited calls in a row do not keep timers from firing", async (bench) => {
    const store = await bench.open({ durability: "process" });
    const starving: string[] = [];
    for (const [name, call] of Object.entries(IN_A_ROW)) {
      const chat = await store.create();
      await chat.append([hello, { role: "assistant", content: "hi" }]);
      if (!(await letsTimersFire(() => call(store, chat)))) starving.push(name);
    }
    assert.deepEqual(starving, []);
  });

  check("close waits for pending writes and can be called twice", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const begun = Array.from({ length: 50 }, () => chat.append(hello));
    await Promise.all([store.close(), store.close()]);
    const results = await Promise.allSettled(begun);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(["fulfilled"]));
  });

  check.persistent("closing during an answer keeps the streamed text", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1");
    const turn = await chat.beginTurn();
    await turn.delta("acknowledged");
    const begun = turn.delta(" and begun").then(
      () => true,
      () => false,
    );
    await store.close();
    await refuses("SERVICE_UNAVAILABLE", turn.finish(), /closed/);
    const again = await (await bench.open()).open("web:1");
    const [entry] = await allMessages(again);
    const expected = (await begun) ? "acknowledged and begun" : "acknowledged";
    assert.ok(String(entry?.message?.content).startsWith(expected), String(entry?.message?.content));
    assert.equal(entry?.message?.endState, "interrupted");
  });

  check.persistent("everything written is there after reopening", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1", { title: "Kept" });
    await chat.append([hello, { role: "assistant", content: "hi" }]);
    await chat.update({ contextState: { strategy: "full" } });
    const trashed = await store.create({ title: "Trashed" });
    await store.delete(trashed.id);
    const before = [await chat.info(), await allMessages(chat)];
    await store.close();
    const again = await bench.open();
    const found = await again.open("web:1");
    assert.deepEqual([await found.info(), await allMessages(found)], before);
    assert.deepEqual(
      (await again.list({ trash: true })).items.map(({ title }) => title),
      ["Trashed"],
    );
    assert.deepEqual((await again.verify()).findings, []);
  });

  check.persistent("a store opened for reading can be read, and refuses every write", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1");
    await chat.append(hello);
    await store.close();
    const reader = await bench.open({ readonly: true });
    const found = (await reader.get(chat.id)) as Conversation;
    assert.deepEqual(texts(await allMessages(found)), ["hello"]);
    assert.equal((await reader.open("web:1")).id, chat.id);
    for (const call of Object.values(READING)) await call(reader, found);
    for (const call of Object.values(WRITING))
      await refuses("SERVICE_UNAVAILABLE", call(reader, found), /reading only/);
  });

  check.persistent("a missing store cannot be opened for reading, and is not created", async (bench) => {
    await refuses("NOT_FOUND", bench.open({ readonly: true }));
    await refuses("NOT_FOUND", bench.open({ readonly: true }));
  });
};
