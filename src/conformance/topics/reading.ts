import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import type { EntryQuery } from "../../store/read/entry-query.ts";
import { allMessages, allPages, type Bench, refuses, type Topic, texts } from "../kit.ts";

/** A conversation with messages `m1` to `m<count>`, whose ids are `e1` to `e<count>`. */
async function filled(bench: Bench, count: number): Promise<Conversation> {
  const store = await bench.open({ durability: "process" });
  const chat = await store.create();
  const messages = Array.from({ length: count }, (_, index) => ({
    role: "user" as const,
    content: `m${index + 1}`,
    id: `e${index + 1}`,
  }));
  for (let from = 0; from < count; from += 1000) await chat.append(messages.slice(from, from + 1000));
  return chat;
}

function range(from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => `m${from + index}`);
}

/** Query, what the first page holds, whether there is more. */
const PAGES: readonly (readonly [EntryQuery, string[], boolean])[] = [
  [{ last: 5 }, range(246, 250), true],
  [{ last: 250 }, range(1, 250), false],
  [{ last: 1000 }, range(1, 250), false],
  [{}, range(1, 100), true],
  [{ limit: 250 }, range(1, 250), false],
  [{ before: "e10", limit: 3 }, range(7, 9), true],
  [{ before: "e3", limit: 10 }, range(1, 2), false],
  [{ before: "e1", limit: 10 }, [], false],
  [{ after: "e10", limit: 3 }, range(11, 13), true],
  [{ after: "e248", limit: 10 }, range(249, 250), false],
  [{ after: "e250" }, [], false],
];

export const reading: Topic = (check) => {
  for (const [query, expected, more] of PAGES) {
    check(`messages(${JSON.stringify(query)}) of 250 returns ${expected.length}`, async (bench) => {
      const chat = await filled(bench, 250);
      const page = await chat.messages(query);
      assert.deepEqual(texts(page.items), expected);
      assert.equal(page.cursor !== null, more);
    });
  }

  check("pages in either direction have no gaps or duplicates", async (bench) => {
    const chat = await filled(bench, 2500);
    const forwards = await allPages((cursor) => chat.messages({ limit: 77, cursor }));
    assert.deepEqual(texts(forwards.flat()), range(1, 2500));
    const backwards = await allPages((cursor) =>
      chat.messages(cursor === undefined ? { last: 77 } : { limit: 77, cursor }),
    );
    assert.deepEqual(texts(backwards.reverse().flat()), range(1, 2500));
  });

  check("an iteration yields everything that matches the query, in ascending order", async (bench) => {
    const chat = await filled(bench, 1250);
    const { cursor } = await chat.messages({ before: "e700", limit: 100 });
    const queries: readonly (readonly [EntryQuery, string[]])[] = [
      [{}, range(1, 1250)],
      [{ limit: 7 }, range(1, 1250)],
      [{ maxBytes: 2000 }, range(1, 1250)],
      [{ last: 5 }, range(1246, 1250)],
      [{ last: 1100, limit: 9 }, range(151, 1250)],
      [{ last: 20_000 }, range(1, 1250)],
      [{ after: "e640" }, range(641, 1250)],
      [{ before: "e640" }, range(1, 639)],
      [{ before: "e1" }, []],
      [{ cursor }, range(1, 599)],
      [{ cursor: null }, []],
    ];
    for (const [query, expected] of queries) {
      assert.deepEqual(texts(await allMessages(chat, query)), expected, JSON.stringify(query));
    }
  });

  check("an iteration stays on the branch on which it started", async (bench) => {
    const chat = await filled(bench, 20);
    await chat.branch("e10", { name: "other" });
    const seen: unknown[] = [];
    for await (const { message } of chat.messages({ limit: 5 })) {
      if (seen.length === 3) await chat.checkout("other");
      seen.push(message.content);
    }
    assert.deepEqual(seen, range(1, 20));
    assert.deepEqual(texts(await allMessages(chat)), range(1, 10));
  });

  check("a list that is awaited twice is read once", async (bench) => {
    const chat = await filled(bench, 3);
    const list = chat.messages();
    const first = await list;
    await chat.append({ role: "user", content: "m4" });
    assert.equal(await list, first);
    assert.deepEqual(texts(first.items), range(1, 3));
  });

  check("an invalid query is refused when a list is awaited or iterated", async (bench) => {
    const chat = await filled(bench, 1);
    await refuses("VALIDATION_ERROR", chat.messages({ limit: 0 }));
    await refuses("VALIDATION_ERROR", allMessages(chat, { limit: 0 }));
    await refuses("NOT_FOUND", allMessages(chat, { after: "nobody" }));
  });

  check("a cursor of messages keeps its position while messages are appended", async (bench) => {
    const chat = await filled(bench, 20);
    const newest = await chat.messages({ last: 5 });
    const oldest = await chat.messages({ limit: 18 });
    await chat.append({ role: "user", content: "m21" });
    const older = await chat.messages({ limit: 5, cursor: newest.cursor as string });
    assert.deepEqual(texts(older.items), range(11, 15));
    const rest = await chat.messages({ cursor: oldest.cursor as string });
    assert.deepEqual(texts(rest.items), range(19, 21));
  });

  check("the cursor of the last page returns an empty page", async (bench) => {
    const chat = await filled(bench, 3);
    const all = await chat.messages({ last: 10 });
    assert.deepEqual(await chat.messages({ limit: 10, cursor: all.cursor }), { items: [], cursor: null });
  });

  check("last and limit together return the smaller number of the newest", async (bench) => {
    const chat = await filled(bench, 20);
    assert.deepEqual(texts((await chat.messages({ last: 5, limit: 100 })).items), range(16, 20));
    assert.deepEqual(texts((await chat.messages({ last: 100, limit: 5 })).items), range(16, 20));
  });

  check("a deleted conversation cannot be read, with or without messages", async (bench) => {
    const store = await bench.open();
    for (const messages of [[], [{ role: "user" as const, content: "gone", id: "e1" }]]) {
      const chat = await store.create();
      if (messages.length > 0) await chat.append(messages);
      await store.delete(chat.id);
      await refuses("NOT_FOUND", chat.messages());
      await refuses("NOT_FOUND", chat.messages({ after: "e1" }));
    }
  });

  check("maxBytes ends a page early but never leaves it empty", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    for (const letter of ["a", "b", "c", "d"])
      await chat.append({ role: "user", content: letter.repeat(1000) });
    const page = await chat.messages({ last: 4, maxBytes: 2800 });
    assert.deepEqual(
      page.items.map(({ seq }) => seq),
      [3, 4],
    );
    assert.notEqual(page.cursor, null);
    assert.equal((await chat.messages({ last: 4, maxBytes: 1 })).items.length, 1);
  });

  check("an entry that does not exist is NOT_FOUND as an anchor", async (bench) => {
    const chat = await filled(bench, 3);
    await refuses("NOT_FOUND", chat.messages({ before: "nobody" }));
    await refuses("NOT_FOUND", chat.messages({ after: "nobody" }));
  });

  check("an id that occurs only in the text of a message is not an anchor", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append({
      role: "user",
      content: [{ type: "tool_use", id: "inner", name: "n", input: { id: "deep" } }],
    });
    await refuses("NOT_FOUND", chat.messages({ after: "inner" }));
    await refuses("NOT_FOUND", chat.messages({ before: "deep" }));
  });

  check("an empty conversation has an empty page", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    assert.deepEqual(await chat.messages({ last: 50 }), { items: [], cursor: null });
    assert.deepEqual(await chat.entries(), { items: [], cursor: null });
  });
};
