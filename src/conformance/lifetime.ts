import assert from "node:assert/strict";
import type { Conversation } from "../store/conversation.ts";
import type { Store } from "../store/store.ts";
import { allMessages, refuses, type Topic, texts } from "./kit.ts";

const hello = { role: "user", content: "hello" } as const;

const READING: Readonly<Record<string, (store: Store, chat: Conversation) => Promise<unknown>>> = {
  get: (store, chat) => store.get(chat.id),
  list: (store) => store.list(),
  verify: (store) => store.verify(),
  stats: (store) => store.stats(),
  "conversation.info": (_, chat) => chat.info(),
  "conversation.messages": (_, chat) => chat.messages(),
  "conversation.entries": (_, chat) => chat.entries(),
};

const WRITING: Readonly<Record<string, (store: Store, chat: Conversation) => Promise<unknown>>> = {
  open: (store) => store.open("cli:new"),
  create: (store) => store.create(),
  delete: (store, chat) => store.delete(chat.id),
  restore: (store, chat) => store.restore(chat.id),
  "conversation.append": (_, chat) => chat.append(hello),
  "conversation.update": (_, chat) => chat.update({ title: "x" }),
};

export const lifetime: Topic = (check) => {
  for (const [name, call] of Object.entries({ ...READING, ...WRITING })) {
    check(`${name} fails clearly on a closed store`, async (bench) => {
      const store = await bench.open();
      const chat = await store.create();
      await store.close();
      await refuses("SERVICE_UNAVAILABLE", call(store, chat), /closed/);
    });
  }

  check("close waits for what was begun and can be called twice", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const begun = Array.from({ length: 50 }, () => chat.append(hello));
    await Promise.all([store.close(), store.close()]);
    const results = await Promise.allSettled(begun);
    assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(["fulfilled"]));
  });

  check.persistent("what was written is there after opening again", async (bench) => {
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

  check.persistent("a store opened for reading reads, and refuses every write", async (bench) => {
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

  check.persistent(
    "a store that is not there cannot be opened for reading, and is not created by trying",
    async (bench) => {
      await refuses("NOT_FOUND", bench.open({ readonly: true }));
      await refuses("NOT_FOUND", bench.open({ readonly: true }));
    },
  );
};
