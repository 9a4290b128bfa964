import assert from "node:assert/strict";
import type { ConversationInfo } from "../../engine/index.ts";
import { openStore } from "../../store/open.ts";
import type { ConversationQuery } from "../../store/read/conversation-pages.ts";
import { allPages, refuses, say, type Topic } from "../kit.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

/** One a day, from the first of January 2026. */
const FILTERED = [
  { key: "web:a", title: "Plans for March", model: "m-1" },
  { key: "web:b", title: "Grüße", model: "m-2" },
  { key: "web_:c", title: "100% sure", model: "m-1" },
  { key: "mail:a", channel: "web", title: "Old PLANS at 300 \u212a" },
  { key: "mail:gone", title: "Plans", model: "m-1" },
] as const;

/** Query, and the keys of its results, newest first. */
const FILTERS: readonly (readonly [ConversationQuery, string[]])[] = [
  [{ channel: "web" }, ["mail:a", "web:b", "web:a"]],
  [{ channel: "Web" }, []],
  [{ keyPrefix: "web" }, ["web_:c", "web:b", "web:a"]],
  [{ keyPrefix: "web:" }, ["web:b", "web:a"]],
  [{ keyPrefix: "web_" }, ["web_:c"]],
  [{ title: "plans" }, ["mail:a", "web:a"]],
  [{ title: "GRÜSSE" }, []],
  [{ title: "GRÜ" }, ["web:b"]],
  [{ title: "%" }, ["web_:c"]],
  // The sign for kelvin is not ASCII, and the k that it becomes is.
  [{ title: "300 k" }, ["mail:a"]],
  [{ model: "m-1" }, ["web_:c", "web:a"]],
  [{ after: "2026-01-02T00:00:00Z" }, ["mail:a", "web_:c", "web:b"]],
  [{ before: "2026-01-02T01:00:00+01:00" }, ["web:a"]],
  [{ after: "2026-01-02T00:00:00Z", before: "2026-01-04T00:00:00Z" }, ["web_:c", "web:b"]],
  [{ channel: "web", title: "plans", model: "m-1", keyPrefix: "web:" }, ["web:a"]],
  [{ trash: true, keyPrefix: "mail:" }, ["mail:gone"]],
  [{ trash: true, model: "m-2" }, []],
];

export const conversations: Topic = (check) => {
  check("a new conversation is empty and has an id, a time and no key", async (bench) => {
    const store = await bench.open();
    const created = await store.create();
    const info = await created.info();
    assert.match(info.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(created.id, info.id);
    assert.deepEqual(
      [info.key, info.title, info.channel, info.model, info.head],
      [null, null, null, null, null],
    );
    assert.deepEqual([info.messageCount, info.branchCount, info.lastMessageAt], [0, 1, null]);
    assert.equal(info.createdAt, info.updatedAt);
    assert.equal(new Date(info.createdAt).toISOString(), info.createdAt);
  });

  check("open creates on first use and resumes afterwards", async (bench) => {
    const store = await bench.open();
    const first = await store.open("discord:dm:42", { title: "Plans", model: "m-1" });
    const again = await store.open("discord:dm:42", { title: "Not used" });
    assert.equal(again.id, first.id);
    const info = await again.info();
    assert.deepEqual(
      [info.key, info.channel, info.title, info.model],
      ["discord:dm:42", "discord", "Plans", "m-1"],
    );
  });

  check("a hundred concurrent calls that open one key share one conversation", async (bench) => {
    const store = await bench.open();
    const opened = await Promise.all(Array.from({ length: 100 }, () => store.open("cli:default")));
    assert.equal(new Set(opened.map(({ id }) => id)).size, 1);
    assert.equal((await store.list()).items.length, 1);
  });

  check("get finds by id and by key, and returns undefined if there is no conversation", async (bench) => {
    const store = await bench.open();
    const { id } = await store.create({ key: "web:1" });
    assert.equal((await store.get(id))?.id, id);
    assert.equal((await store.get(id.toUpperCase()))?.id, id);
    assert.equal((await store.get("web:1"))?.id, id);
    assert.equal(await store.get(UNKNOWN), undefined);
    assert.equal(await store.get("web:2"), undefined);
  });

  check(
    "keys of a channel whose ids are case-sensitive may differ in punctuation or case only",
    async (bench) => {
      const store = await bench.open();
      const keys = [
        "web:a:b",
        "web:a_b",
        "web:a/b",
        "web:A:b",
        "web:../../etc/passwd",
        "web:日本語",
        "web:%2e",
      ];
      const ids = new Set<string>();
      for (const key of keys) ids.add((await store.open(key)).id);
      assert.equal(ids.size, keys.length);
      for (const key of keys) assert.equal((await (await store.open(key)).info()).key, key);
    },
  );

  check("create with a key in use is a CONFLICT", async (bench) => {
    const store = await bench.open();
    const { id } = await store.create({ key: "web:1" });
    const error = await refuses("CONFLICT", store.create({ key: "web:1" }));
    assert.equal(error.details?.id, id);
  });

  check("create with a known id is a retry, or a CONFLICT if it differs", async (bench) => {
    const store = await bench.open();
    const first = await store.create({ id: UNKNOWN, key: "web:1", title: "One" });
    assert.equal((await store.create({ id: UNKNOWN, key: "web:1", title: "One" })).id, first.id);
    await refuses("CONFLICT", store.create({ id: UNKNOWN, title: "Two" }));
    assert.equal((await store.list()).items.length, 1);
  });

  check("update changes the given properties and updatedAt, not lastMessageAt", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create({ title: "Old", model: "m-1" });
    await chat.append({ role: "user", content: "hello" });
    nowMs += 60_000;
    const state = { strategy: "sandwich", summary: "So far …", summary_range: [5, 42] };
    await chat.update({ title: "New", contextState: state });
    const info = await chat.info();
    assert.deepEqual([info.title, info.model, info.contextState], ["New", "m-1", state]);
    assert.deepEqual(
      [info.updatedAt, info.lastMessageAt],
      ["2026-01-01T00:01:00.000Z", "2026-01-01T00:00:00.000Z"],
    );
    await chat.update({ title: null, contextState: null });
    assert.deepEqual([(await chat.info()).title, (await chat.info()).contextState], [null, null]);
    assert.equal((await chat.info()).messageCount, 1);
  });

  check("callers can modify an info without changing the conversation", async (bench) => {
    const store = await bench.open();
    const chat = await store.create({ title: "Kept" });
    await chat.update({ contextState: { summary: "kept" } });
    for (const info of [await chat.info(), (await store.list()).items[0], (await store.stats()).top[0]]) {
      Object.assign(info as object, { title: "changed" });
      Object.assign(info?.contextState as object, { summary: "changed" });
    }
    const { title, contextState } = await chat.info();
    assert.deepEqual([title, contextState], ["Kept", { summary: "kept" }]);
  });

  check("updatedAt is the time of the last write, whatever time a message has", async (bench) => {
    const nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const chat = await store.create();
    await chat.append({ role: "user", content: "from the future", at: "2099-01-01T00:00:00.000Z" });
    await chat.append({ role: "user", content: "from the past", at: "1999-01-01T00:00:00.000Z" });
    const { updatedAt, lastMessageAt } = await chat.info();
    assert.deepEqual([updatedAt, lastMessageAt], ["2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"]);
  });

  check(
    "list sorts by last activity, newest first, and its pages have no gaps or duplicates",
    async (bench) => {
      let nowMs = Date.UTC(2026, 0, 1);
      const store = await bench.open({ clock: () => nowMs });
      const made: string[] = [];
      for (let index = 0; index < 25; index++) {
        // Two in each millisecond: the order must not depend on the clock alone.
        if (index % 2 === 0) nowMs++;
        made.push((await store.create({ title: `n${index}` })).id);
      }
      nowMs += 1000;
      await (await store.get(made[3] as string))?.append({ role: "user", content: "bump" });
      const listed = (await allPages((cursor) => store.list({ limit: 7, cursor }))).flat();
      assert.equal(new Set(listed.map(({ id }) => id)).size, 25);
      assert.equal(listed[0]?.id, made[3]);
      assert.deepEqual(listed.map(sortKey), listed.map(sortKey).toSorted());
      assert.deepEqual((await store.list({ limit: 100 })).items, listed);
      assert.deepEqual(await Array.fromAsync(store.list()), listed);
      assert.deepEqual(await Array.fromAsync(store.list({ limit: 4 })), listed);
    },
  );

  for (const [query, expected] of FILTERS) {
    check(`list(${JSON.stringify(query)}) returns ${expected.join(", ") || "none"}`, async (bench) => {
      let nowMs = Date.UTC(2026, 0, 0);
      const store = await bench.open({ clock: () => nowMs });
      for (const init of FILTERED) {
        nowMs += 24 * 3_600_000;
        await store.create(init);
      }
      await store.delete("mail:gone");
      const keys = (items: readonly ConversationInfo[]): (string | null)[] => items.map(({ key }) => key);
      assert.deepEqual(keys((await store.list(query)).items), expected);
      assert.deepEqual(keys(await Array.fromAsync(store.list({ ...query, limit: 1 }))), expected);
    });
  }

  check("list returns only conversations with branches on request", async (bench) => {
    const store = await bench.open();
    const [plain, forked, single, gone] = [
      await store.open("web:plain"),
      await store.open("web:forked"),
      await store.open("mail:single"),
      await store.open("mail:gone"),
    ];
    for (const chat of [plain, forked, single, gone]) {
      const { head } = await chat.append(say("A question"));
      if (chat !== plain) await chat.branch(head, { name: "other" });
    }
    await store.delete(gone.id);
    const keys = async (query: ConversationQuery): Promise<(string | null)[]> =>
      (await store.list(query)).items.map(({ key }) => key).sort();
    assert.deepEqual(await keys({ forked: true }), ["mail:single", "web:forked"]);
    assert.deepEqual(await keys({ forked: true, channel: "web" }), ["web:forked"]);
    assert.deepEqual(await keys({ forked: true, keyPrefix: "mail:" }), ["mail:single"]);
    assert.deepEqual(await keys({ forked: true, trash: true }), ["mail:gone"]);
    assert.deepEqual(await keys({ forked: false }), ["mail:single", "web:forked", "web:plain"]);
    await single.pruneBranches({ names: ["other"] });
    assert.deepEqual(await keys({ forked: true }), ["web:forked"]);
  });

  check("facets are the channels and models of conversations outside the trash", async (bench) => {
    const store = await bench.open();
    assert.deepEqual(await store.facets(), { channels: [], models: [] });
    for (const init of FILTERED) await store.create(init);
    await store.create();
    await store.create({ channel: "gone", model: "m-3" });
    const [last] = (await store.list({ channel: "gone" })).items;
    await store.delete(last?.id ?? "");
    assert.deepEqual(await store.facets(), { channels: ["mail", "web", "web_"], models: ["m-1", "m-2"] });
  });

  for (const query of [{ channel: "" }, { title: 5 }, { after: "yesterday" }, { before: 1 }, { kye: "x" }]) {
    check(`list(${JSON.stringify(query)}) is refused`, async (bench) => {
      const store = await bench.open();
      await refuses("VALIDATION_ERROR", store.list(query as object));
    });
  }

  check("list returns the last words on request, of the branch that is checked out", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append([
      { role: "user", content: "question", id: "e1" },
      { role: "assistant", content: "first line\nmore" },
    ]);
    const branched = await store.create({ title: "T" });
    await branched.append([
      { role: "user", content: "kept", id: "e1" },
      { role: "assistant", content: "left" },
    ]);
    await branched.branch("e1", { name: "other" });
    await branched.checkout("other");
    const empty = await store.create();
    const gone = await store.create();
    await gone.append({ role: "user", content: "gone" });
    await store.delete(gone.id);
    const words = async (trash: boolean): Promise<unknown> => {
      const { items } = await store.list({ lastWords: true, trash });
      return Object.fromEntries(items.map(({ id, lastWords }) => [id, lastWords]));
    };
    assert.deepEqual(await words(false), {
      [chat.id]: "first line",
      [branched.id]: "kept",
      [empty.id]: null,
    });
    assert.deepEqual(await words(true), { [gone.id]: null });
    assert.ok((await store.list()).items.every((info) => !("lastWords" in info)));
  });

  check("list returns the first words of the user on request, also in the trash", async (bench) => {
    const store = await bench.open();
    const named = await store.open("web:named", { title: "Named" });
    await named.append(say("Not shown"));
    const [words, long, mute] = [await store.open("web:words"), await store.create(), await store.create()];
    await words.append([
      { role: "system", content: "Be brief." },
      { role: "user", content: "\n  What did we\u0007decide?\nPlease." },
    ]);
    await long.append({
      role: "user",
      content: [{ type: "text", text: `Read this: ${"x".repeat(50_000)}` }],
    });
    await mute.append({ role: "assistant", content: "Hello" });
    const found = async (trash: boolean): Promise<Record<string, unknown>> => {
      const { items } = await store.list({ firstWords: true, trash });
      return Object.fromEntries(items.map(({ id, firstWords }) => [id, firstWords]));
    };
    const shown = {
      [named.id]: null,
      [words.id]: "What did we decide?",
      [long.id]: `Read this: ${"x".repeat(108)}…`,
      [mute.id]: null,
    };
    assert.deepEqual(await found(false), shown);
    assert.ok((await store.list()).items.every((info) => !("firstWords" in info)));
    for (const { id } of [named, words, long, mute]) await store.delete(id);
    assert.deepEqual(await found(true), shown);
  });

  check("a cursor of list keeps its position while conversations are added", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs++ });
    for (let index = 0; index < 10; index++) await store.create();
    const first = await store.list({ limit: 5 });
    const late = await store.create({ title: "late" });
    const second = await store.list({ limit: 100, cursor: first.cursor as string });
    const seen = [...first.items, ...second.items].map(({ id }) => id);
    assert.equal(new Set(seen).size, 10);
    assert.ok(!seen.includes(late.id));
  });

  check("delete moves to the trash and frees the key, restore brings everything back", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1", { title: "Kept" });
    await chat.append({ role: "user", content: "still here" });
    const before = await chat.info();
    const deleted = await store.delete(chat.id);
    assert.equal(deleted.id, chat.id);
    assert.notEqual(deleted.deletedAt, null);
    assert.equal(await store.get(chat.id), undefined);
    assert.equal(await store.get("web:1"), undefined);
    assert.deepEqual((await store.list()).items, []);
    assert.deepEqual(
      (await store.list({ trash: true })).items.map(({ id }) => id),
      [chat.id],
    );
    await refuses("NOT_FOUND", chat.append({ role: "user", content: "too late" }));
    await refuses("NOT_FOUND", chat.update({ title: "too late" }));
    await refuses("NOT_FOUND", chat.info());
    await store.restore(chat.id);
    const after = await (await store.open("web:1")).info();
    assert.deepEqual({ ...after, updatedAt: 0 }, { ...before, updatedAt: 0 });
    assert.equal((await chat.messages()).items[0]?.message?.content, "still here");
    assert.deepEqual((await store.list({ trash: true })).items, []);
  });

  check("restore is a CONFLICT while the key is in use", async (bench) => {
    const store = await bench.open();
    const first = await store.open("web:1");
    await store.delete(first.id);
    const second = await store.open("web:1");
    assert.notEqual(second.id, first.id);
    await refuses("CONFLICT", store.restore(first.id));
    await store.delete("web:1");
    await store.restore(first.id);
    assert.equal((await store.get("web:1"))?.id, first.id);
  });

  check("deleting or restoring an unknown conversation is NOT_FOUND and changes nothing", async (bench) => {
    const store = await bench.open();
    const { id } = await store.create();
    await refuses("NOT_FOUND", store.delete(UNKNOWN));
    await refuses("NOT_FOUND", store.delete("web:none"));
    await refuses("NOT_FOUND", store.restore(UNKNOWN));
    await refuses("NOT_FOUND", store.restore(id));
    await store.delete(id);
    await refuses("NOT_FOUND", store.delete(id));
    assert.equal((await store.list({ trash: true })).items.length, 1);
  });

  check("a copy has the same logs, also those with branches and in the trash", async (bench) => {
    const store = await bench.open();
    const branched = await store.create();
    const { head } = await branched.append(say("one", "two"));
    await branched.branch(head, { name: "other", checkout: true });
    await branched.append(say("three"));
    const trashed = await store.create();
    await trashed.append(say("gone"));
    await store.delete(trashed.id);
    await using target = await openStore("ephemeral:");
    const { conversations, entries, verified, skipped } = await store.copyTo(target);
    assert.deepEqual([conversations, entries, verified, skipped], [2, 5, true, []]);
    assert.deepEqual(
      (await target.list({ trash: true })).items.map(({ id }) => id),
      [trashed.id],
    );
    assert.equal((await target.get(branched.id))?.id, branched.id);
  });

  check("counts, stats and verify count correctly", async (bench) => {
    const store = await bench.open();
    const chat = await store.create({ title: "Big" });
    await chat.append([1, 2, 3].map((n) => ({ role: "user" as const, content: `m${n}`, id: `e${n}` })));
    await chat.branch("e1");
    const trashed = await store.create();
    await trashed.append({ role: "user", content: "m4" });
    await store.delete(trashed.id);
    const stats = await store.stats();
    assert.deepEqual([stats.conversations, stats.entries, stats.top[0]?.id], [1, 5, chat.id]);
    assert.deepEqual(await store.verify(), { ok: true, conversations: 2, entries: 5, findings: [] });
    const { bytes, engine, path } = stats;
    assert.ok(bytes > 0);
    const counts = await store.counts();
    assert.deepEqual(counts, { conversations: 1, messages: 3, bytes: counts.bytes, engine, path });
    assert.equal(stats.messages, 3);
  });
};

/** Ascending text in the order that a listing must have. */
function sortKey(info: ConversationInfo): string {
  const newestFirst = 8.64e15 - Date.parse(info.lastMessageAt ?? info.createdAt);
  return `${String(newestFirst).padStart(17, "0")} ${info.id}`;
}
