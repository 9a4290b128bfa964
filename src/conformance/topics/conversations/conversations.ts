import assert from "node:assert/strict";
import { openStore } from "../../../store/open.ts";
import { refuses, say, type Topic } from "../../kit.ts";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

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
