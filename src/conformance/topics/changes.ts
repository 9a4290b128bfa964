import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import type { Change } from "../../store/feed/changes.ts";
import { Child, SHARED_KEY } from "../child-process.ts";
import { allMessages, idOf, refuses, say, type Topic, texts } from "../kit.ts";

/** The next N changes. */
async function take(feed: AsyncIterator<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  while (taken.length < count) {
    const { value, done } = await feed.next();
    assert.ok(done !== true, `The feed ended after ${taken.length} of ${count} changes`);
    taken.push(value);
  }
  return taken;
}

/** Everything up to a change of this type. */
async function takeUntil(
  feed: AsyncIterator<Change>,
  isLast: (change: Change) => boolean,
): Promise<Change[]> {
  const taken: Change[] = [];
  for (;;) {
    const [change] = (await take(feed, 1)) as [Change];
    taken.push(change);
    if (isLast(change)) return taken;
  }
}

function isEnd({ entry }: Change): boolean {
  return entry?.message?.content === "the end";
}

export const changes: Topic = (check) => {
  check("the feed has every change, in order", async (bench) => {
    const store = await bench.open();
    const feed = store.changes();
    const chat = await store.create();
    const [first] = (await chat.append(say("one", "two"))).entries;
    await chat.update({ title: "Title" });
    await chat.branch(idOf(first), { name: "b" });
    await chat.append(say("on b"), { branch: "b" });
    await chat.redact(idOf(first));
    await chat.pruneBranches({ names: ["b"] });
    await store.delete(chat.id);
    await store.restore(chat.id);
    const other = await store.create();
    await other.append(say("the end"));
    await store.purge(chat.id, { force: true });
    const told = await takeUntil(feed, ({ type }) => type === "purged");
    const types = told.map(({ type, conversation, entry }) => {
      if (conversation === other.id) return `other ${type}`;
      assert.equal(conversation, chat.id);
      return entry === undefined ? type : `${type} ${entry.kind}`;
    });
    // The entries of a purged conversation may be missing; the changes to it are still in the feed.
    assert.deepEqual(
      types.filter((type) => !type.startsWith("entry ")),
      [
        ...["created", "updated", "redacted", "swept", "trashed", "restored"],
        ...["other created", "other entry", "purged"],
      ],
    );
    assert.equal(new Set(told.map(({ cursor }) => cursor)).size, told.length);
  });

  check("the feed has full entries, without redacted content", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const feed = store.changes();
    const large = "output ".repeat(10_000);
    const written = (
      await chat.append([
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: large }] },
        { role: "user", content: "swordfish" },
      ])
    ).entries;
    await chat.label(idOf(written[0]), "big");
    const told = await take(feed, 3);
    assert.deepEqual(told[0]?.entry, written[0]);
    assert.deepEqual(
      told.map(({ type, entry }) => [type, entry?.kind, entry?.seq]),
      [
        ["entry", "message", 1],
        ["entry", "message", 2],
        ["entry", "label", 3],
      ],
    );
    await chat.redact(idOf(written[1]));
    const again = await take(store.changes({ since: told[0]?.cursor as string }), 3);
    assert.deepEqual(
      again.map(({ type }) => type),
      ["entry", "entry", "redacted"],
    );
    assert.ok(!JSON.stringify(again).includes("swordfish"));
  });

  check("a cursor continues after its change, any number of times", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const feed = store.changes();
    for (let n = 0; n < 20; n++) await chat.append(say(`m${n}`));
    const all = await take(feed, 20);
    for (const at of [0, 7, 18]) {
      const rest = await take(store.changes({ since: all[at]?.cursor as string }), 19 - at);
      assert.deepEqual(rest, all.slice(at + 1));
    }
    const waiting = take(store.changes({ since: all[19]?.cursor as string }), 1);
    await chat.append(say("late"));
    assert.deepEqual(texts((await waiting).flatMap(({ entry }) => entry ?? [])), ["late"]);
  });

  check("retries, refused writes and reads are not changes", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1");
    const feed = store.changes();
    await chat.append(say("once"), { operationId: "op" });
    await chat.append(say("once"), { operationId: "op" });
    await refuses("CONFLICT", chat.append(say("never"), { expectedHead: null }));
    await store.open("web:1");
    await chat.messages();
    const lease = await chat.lease();
    await lease.release();
    const turn = await chat.beginTurn();
    await turn.delta("streamed");
    await turn.finish();
    await chat.append(say("the end"));
    const told = await takeUntil(feed, isEnd);
    assert.deepEqual(texts(told.flatMap(({ entry }) => entry ?? [])), ["once", "streamed", "the end"]);
    assert.equal(told.length, 3);
  });

  check("a signal ends the feed, and so does closing the store", async (bench) => {
    const store = await bench.open();
    const stop = new AbortController();
    const first = Array.fromAsync(store.changes({ signal: stop.signal }));
    const second = Array.fromAsync(store.changes());
    await store.create();
    setTimeout(() => stop.abort(), 50);
    assert.ok((await first).length <= 1);
    await store.close();
    assert.ok((await second).length <= 1);
  });

  check("a cursor of another feed is refused", async (bench) => {
    const store = await bench.open();
    const wrong = async (since: string): Promise<unknown> => Array.fromAsync(store.changes({ since }));
    await refuses("VALIDATION_ERROR", wrong("abc"));
    await refuses("VALIDATION_ERROR", wrong(""));
    await store.create();
    await store.create();
    await refuses("VALIDATION_ERROR", wrong((await store.list({ limit: 1 })).cursor as string));
  });

  check("the feed misses and repeats nothing while many callers write", async (bench) => {
    const store = await bench.open({ durability: "process" });
    const chats = await Promise.all(Array.from({ length: 8 }, () => store.create()));
    const feed = store.changes();
    const reading = take(feed, 8 * 50);
    await Promise.all(
      chats.map(async (chat) => {
        for (let n = 0; n < 50; n++) await chat.append(say(`m${n}`));
      }),
    );
    checkComplete(await reading, chats, 50);
  });

  check.persistent("a reader that continues in another store misses nothing", async (bench) => {
    const store = await bench.open();
    const chat = await store.open(SHARED_KEY);
    const feed = store.changes();
    for (let n = 0; n < 30; n++) await chat.append(say(`m${n}`));
    const first = await take(feed, 10);
    await store.close();
    const again = await bench.open();
    const more = await again.open(SHARED_KEY);
    for (let n = 30; n < 40; n++) await more.append(say(`m${n}`));
    const rest = await take(again.changes({ since: first.at(-1)?.cursor as string }), 30);
    assert.deepEqual(
      texts([...first, ...rest].flatMap(({ entry }) => entry ?? [])),
      texts(await allMessages(more)),
    );
  });

  check.persistent("the feed misses and repeats nothing while other processes write", async (bench) => {
    const store = await bench.open({ durability: "process" });
    const mine = await store.create();
    const shared = await store.open(SHARED_KEY);
    const feed = store.changes();
    const names = ["a", "b", "c"];
    await using children = new AsyncDisposableStack();
    const writers = names.map((writer) =>
      children.use(new Child(bench, { task: "write", writer, count: 40, batch: 2 })),
    );
    const reading = take(feed, 3 * 40 * 2 + 50);
    for (let n = 0; n < 50; n++) await mine.append(say(`m${n}`));
    await Promise.all(writers.map((child) => child.ended()));
    // The feed would wait for the missing messages for ever.
    assert.deepEqual(
      writers.map((child) => child.said("ack").length),
      [40, 40, 40],
    );
    const told = await reading;
    checkComplete(
      told.filter(({ conversation }) => conversation === mine.id),
      [mine],
      50,
    );
    checkComplete(
      told.filter(({ conversation }) => conversation === shared.id),
      [shared],
      240,
    );
    await shared.append(say("the end"));
    assert.equal((await takeUntil(feed, isEnd)).length, 1);
    // The same again from the middle, by a reader that was not there before.
    const late = await bench.open({ readonly: true });
    const since = told[99]?.cursor as string;
    assert.deepEqual(await take(late.changes({ since }), told.length - 100), told.slice(100));
  });
};

/** The feed has each conversation completely, once, and in order. */
function checkComplete(told: readonly Change[], chats: readonly Conversation[], count: number): void {
  for (const { id } of chats) {
    const seqs = told.flatMap(({ conversation, entry }) => (conversation === id ? (entry?.seq ?? []) : []));
    assert.deepEqual(
      seqs,
      Array.from({ length: count }, (_, index) => index + 1),
    );
  }
}
