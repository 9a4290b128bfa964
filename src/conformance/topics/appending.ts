import assert from "node:assert/strict";
import type { MessageInput } from "../../message/types.ts";
import { allMessages, refuses, type Topic, texts } from "../kit.ts";

const hello: MessageInput = { role: "user", content: "hello" };

/** Contents that must be returned unchanged. */
const CONTENTS: readonly MessageInput["content"][] = [
  "plain",
  " leading and trailing \n\t ",
  "line\u2028separator\u2029 and \u0000 null and \u001b[31m escape",
  "emoji 👩‍👩‍👧‍👦, 漢字, עברית, e\u0301",
  "half a pair \ud800 here",
  '"quotes" and \\backslashes\\ and "_sum":"00000000"}',
  "x".repeat(1_000_000),
  [{ type: "text", text: "block" }],
  [{ type: "tool_use", id: "t1", name: "read", input: { constructor: 1, prototype: { a: [] }, "": null } }],
  [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "" }], is_error: true }],
  [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "text", text: "so" },
  ],
  [{ type: "of_the_future", deep: { numbers: [1e308, 2 ** 60, -1.5, 0.1, 5e-324] } }],
];

export const appending: Topic = (check) => {
  check("an append returns its entry: id, position, parent, time and message", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [first] = (await chat.append(hello)).entries;
    const [second] = (
      await chat.append({
        role: "assistant",
        content: "hi",
        model: "m-1",
        usage: { input: 3 },
      })
    ).entries;
    assert.deepEqual([first?.seq, first?.parentId, first?.kind, first?.message], [1, null, "message", hello]);
    assert.deepEqual([second?.seq, second?.parentId], [2, first?.id]);
    assert.deepEqual((await chat.messages()).items, [first, second]);
    const info = await chat.info();
    assert.deepEqual([info.messageCount, info.head, info.lastMessageAt], [2, second?.id, second?.at]);
  });

  check("every kind of content is returned unchanged", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    for (const content of CONTENTS) await chat.append({ role: "user", content });
    assert.deepEqual(texts(await allMessages(chat)), CONTENTS);
  });

  check("all properties of a message are returned", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const message = {
      role: "assistant",
      content: "done",
      model: "m-1",
      usage: { input_tokens: 3, nested: { cached: 1 } },
      stopReason: "end_turn",
      endState: "stopped",
      provenance: { channel: "discord", messageId: "9" },
      source: ["raw", { x: null }],
      extra: { claude: { container: null } },
    } as const;
    await chat.append({ ...message, id: "my-id", at: "2020-02-02T02:02:02.002Z" });
    const [entry] = (await chat.messages()).items;
    assert.deepEqual([entry?.id, entry?.at, entry?.message], ["my-id", "2020-02-02T02:02:02.002Z", message]);
  });

  check("callers can modify arguments and results without changing the store", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const block = { type: "text" as const, text: "before" };
    const appending = chat.append({ role: "user", content: [block] });
    block.text = "after";
    const [entry] = (await appending).entries;
    Object.assign(entry?.message.content[0] as object, { text: "changed" });
    assert.deepEqual(texts(await allMessages(chat)), [[{ type: "text", text: "before" }]]);
  });

  check("a list is one append: in order, linked, with one operation id", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append([
      hello,
      { role: "assistant", content: "a" },
      { role: "user", content: "b" },
    ]);
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      [1, 2, 3],
    );
    assert.deepEqual(
      entries.map(({ parentId }) => parentId),
      [null, entries[0]?.id, entries[1]?.id],
    );
    assert.equal(new Set(entries.map(({ operationId }) => operationId)).size, 1);
    assert.deepEqual((await chat.messages()).items, entries);
  });

  check("a list with one invalid message changes nothing", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await refuses("VALIDATION_ERROR", chat.append([hello, { role: "user", content: " " }]));
    assert.equal((await chat.info()).messageCount, 0);
  });

  check("a retry with the same operation id returns the first result", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const turn: MessageInput[] = [hello, { role: "assistant", content: "hi" }];
    const first = await chat.append(turn, { operationId: "op-1", expectedHead: null });
    assert.deepEqual([first.head, first.replayed], [first.entries[1]?.id, false]);
    const again = await chat.append(turn, { operationId: "op-1", expectedHead: null });
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal((await chat.info()).messageCount, 2);
    await refuses("CONFLICT", chat.append(hello, { operationId: "op-1" }));
    await refuses(
      "CONFLICT",
      chat.append([hello, { role: "assistant", content: "other" }], { operationId: "op-1" }),
    );
    const other = await store.create();
    assert.equal((await other.append(hello, { operationId: "op-1" })).entries[0]?.seq, 1);
  });

  check("a retry with the same message id returns the first result", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const first = await chat.append({ ...hello, id: "m1" }, { expectedHead: null });
    const again = await chat.append({ content: "hello", role: "user", id: "m1" }, { expectedHead: null });
    assert.deepEqual(again, { ...first, replayed: true });
    await refuses("CONFLICT", chat.append({ role: "user", content: "other", id: "m1" }));
    await refuses(
      "CONFLICT",
      chat.append([
        { ...hello, id: "m1" },
        { ...hello, id: "m2" },
      ]),
    );
    assert.equal((await chat.info()).messageCount, 1);
    assert.equal((await (await store.create()).append({ ...hello, id: "m1" })).entries[0]?.id, "m1");
  });

  check("two concurrent attempts write once", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const tries = Array.from({ length: 20 }, () => chat.append(hello, { operationId: "once" }));
    const ids = new Set((await Promise.all(tries)).map(({ head }) => head));
    assert.equal(ids.size, 1);
    assert.equal((await chat.info()).messageCount, 1);
  });

  check("expectedHead lets one of two racing writers win and tells the other the head", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [first] = (await chat.append(hello, { expectedHead: null })).entries;
    const expectedHead = first?.id as string;
    const race = await Promise.allSettled([
      chat.append({ role: "user", content: "a" }, { expectedHead }),
      chat.append({ role: "user", content: "b" }, { expectedHead }),
    ]);
    assert.deepEqual(race.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const error = await refuses("CONFLICT", chat.append(hello, { expectedHead }));
    const { head } = await chat.info();
    assert.equal(error.details?.head, head);
    assert.ok(
      error.message.endsWith(`: expected head ${expectedHead}, but the head is ${head}`),
      error.message,
    );
    await refuses("CONFLICT", chat.append(hello, { expectedHead: null }));
  });

  check("a refused append does not affect concurrent ones", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const results = await Promise.allSettled([
      chat.append({ role: "user", content: "a" }),
      chat.append({ role: "user", content: "b" }, { expectedHead: "nobody" }),
      chat.append({ role: "user", content: "c" }),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual(texts(await allMessages(chat)), ["a", "c"]);
  });

  check("a thousand appends at once keep their order in each of many conversations", async (bench) => {
    const store = await bench.open({ durability: "process" });
    const chats = await Promise.all(Array.from({ length: 20 }, (_, index) => store.open(`web:${index}`)));
    const work = chats.flatMap((chat) =>
      Array.from({ length: 50 }, (_, n) => chat.append({ role: "user", content: `m${n}` })),
    );
    await Promise.all(work);
    for (const chat of chats) {
      const entries = await allMessages(chat);
      assert.deepEqual(
        texts(entries),
        Array.from({ length: 50 }, (_, n) => `m${n}`),
      );
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        Array.from({ length: 50 }, (_, n) => n + 1),
      );
    }
  });

  check("a clock that jumps back changes neither the order of entries nor the list", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 2);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create();
    await chat.append({ role: "user", content: "first" });
    nowMs -= 3_600_000;
    await chat.append({ role: "user", content: "second" });
    assert.deepEqual(texts(await allMessages(chat)), ["first", "second"]);
    assert.equal((await chat.info()).lastMessageAt, "2026-01-02T00:00:00.000Z");
  });
};
