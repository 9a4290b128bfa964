import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import { filesWith } from "../disk.ts";
import { allMessages, idOf, refuses, say, type Topic, texts } from "../kit.ts";

const SECRET = "the secret word is swordfish";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const DAY_MS = 24 * 3_600_000;

async function everythingOf(chat: Conversation): Promise<string> {
  return JSON.stringify([
    (await chat.entries({ all: true, limit: 1000 })).items,
    (await chat.context({ maxTokens: 50_000 })).messages,
    await chat.info(),
  ]);
}

export const erasure: Topic = (check) => {
  check("redacting leaves a marked entry without its content", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [, secret] = (await chat.append(say("before", SECRET, "after"))).entries;
    const receipt = await chat.redact(idOf(secret));
    assert.deepEqual([receipt.id, receipt.entries], [chat.id, 1]);
    assert.ok(receipt.bytes > 0 && !Number.isNaN(Date.parse(receipt.at)));
    assert.ok(!(await everythingOf(chat)).includes("swordfish"));
    const entries = await allMessages(chat);
    const place = entries[1];
    assert.deepEqual(
      [place?.id, place?.seq, place?.parentId, place?.message?.role],
      [secret?.id, 2, entries[0]?.id, "user"],
    );
    assert.match(JSON.stringify(place?.message), /redacted/);
    assert.deepEqual(texts([entries[0], entries[2]].flatMap((entry) => entry ?? [])), ["before", "after"]);
    const info = await chat.info();
    assert.deepEqual([info.messageCount, info.head], [3, entries[2]?.id]);
    await chat.append(say("going on"));
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("a summary can be redacted, and its compaction stays in effect", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say("a", "b", "c", "d", "e"));
    const entry = await chat.compact({ summarize: () => SECRET, keepMessages: 1 });
    await chat.redact(idOf(entry));
    assert.ok(!(await everythingOf(chat)).includes("swordfish"));
    const { messages } = await chat.context({ maxTokens: 50_000 });
    assert.ok(!messages.some(({ content }) => content === "a"), "The summarised messages are still left out");
  });

  check("a redacted label is removed", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [entry] = (await chat.append(say("x"))).entries;
    const label = await chat.label(idOf(entry), SECRET);
    await chat.redact(label.id);
    assert.deepEqual(await chat.labels(), []);
    assert.ok(!(await everythingOf(chat)).includes("swordfish"));
  });

  check("redacting an unknown entry or an empty id is refused", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    await chat.append(say("x"));
    await refuses("NOT_FOUND", chat.redact("nobody"));
    await refuses("VALIDATION_ERROR", chat.redact(""));
    assert.deepEqual(texts(await allMessages(chat)), ["x"]);
  });

  check("redacting twice is the same as once", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [entry] = (await chat.append(say(SECRET))).entries;
    await chat.redact(idOf(entry));
    await chat.redact(idOf(entry));
    assert.equal((await allMessages(chat)).length, 1);
  });

  check(
    "a key means the last deleted conversation that had it, or the live one with force",
    async (bench) => {
      let nowMs = Date.UTC(2026, 0, 1);
      const store = await bench.open({ clock: () => nowMs++ });
      const ids: string[] = [];
      for (const key of ["web:1", "web:1", "web:10", "web:1"]) {
        ids.push((await store.open(key)).id);
        if (ids.length < 4) await store.delete(key);
      }
      const [first, second, other, live] = ids;
      await refuses("CONFLICT", store.restore("web:1"));
      assert.equal((await store.purge("web:1")).id, second);
      assert.equal((await store.purge("web:1")).id, first);
      await refuses("CONFLICT", store.purge("web:1"));
      assert.equal((await store.purge("web:1", { force: true })).id, live);
      await refuses("NOT_FOUND", store.purge("web:1"));
      await refuses("NOT_FOUND", store.restore("web:1"));
      assert.equal((await store.restore("web:10")).id, other);
      assert.equal((await store.get("web:10"))?.id, other);
    },
  );

  check("a purge requires the trash, removes everything, and returns a receipt", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1", { title: "Plans" });
    await chat.append(say("one", SECRET));
    await refuses("CONFLICT", store.purge(chat.id));
    await refuses("CONFLICT", store.purge("web:1", { force: false }));
    await store.delete(chat.id);
    const receipt = await store.purge(chat.id);
    assert.deepEqual([receipt.id, receipt.entries, receipt.blobs], [chat.id, 2, 0]);
    assert.ok(receipt.bytes > 0 && Array.isArray(receipt.copies));
    assert.equal(await store.get(chat.id), undefined);
    assert.deepEqual((await store.list({ trash: true })).items, []);
    await refuses("NOT_FOUND", store.purge(chat.id));
    await refuses("NOT_FOUND", store.restore(chat.id));
    await refuses("NOT_FOUND", chat.messages());
    await refuses("NOT_FOUND", chat.append(say("x")));
    await refuses("NOT_FOUND", store.purge(UNKNOWN));
    await refuses("NOT_FOUND", store.purge("web:1", { force: true }));
    await refuses("VALIDATION_ERROR", store.purge("web"));
    const next = await store.open("web:1");
    assert.notEqual(next.id, chat.id);
    assert.deepEqual(await store.verify(), { ok: true, conversations: 1, entries: 0, findings: [] });
  });

  check("a forced purge needs no trash, frees the key, and ends turns and leases", async (bench) => {
    const store = await bench.open();
    const chat = await store.open("web:1");
    const turn = await chat.beginTurn();
    await turn.delta(SECRET);
    await store.purge(chat.id, { force: true });
    await refuses("NOT_FOUND", turn.finish());
    assert.equal(await store.get("web:1"), undefined);
    const again = await store.create({ id: chat.id, key: "web:1" });
    assert.equal(await again.turn(), undefined);
    await using _lease = await again.lease();
    assert.deepEqual(await allMessages(again), []);
  });

  check("a purged conversation is remembered, without its id, and may be created again", async (bench) => {
    const store = await bench.open();
    const [chat, other] = [await store.create(), await store.create()];
    await chat.append(say("one"));
    assert.equal(await store.wasPurged(chat.id), false);
    await store.delete(chat.id);
    assert.equal(await store.wasPurged(chat.id), false);
    await store.purge(chat.id);
    assert.equal(await store.wasPurged(chat.id), true);
    assert.equal(await store.wasPurged(other.id), false);
    await refuses("NOT_FOUND", store.purge(UNKNOWN));
    assert.equal(await store.wasPurged(UNKNOWN), false);
    await refuses("VALIDATION_ERROR", store.wasPurged("web:1"));
    const again = await store.create({ id: chat.id });
    await again.append(say("two"));
    assert.deepEqual(texts(await allMessages(again)), ["two"]);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("a copy of a store remembers what was purged", async (bench) => {
    const store = await bench.open();
    const chats = [await store.create(), await store.create(), await store.create()];
    for (const { id } of chats.slice(1)) await store.purge(id, { force: true });
    await using target = await openStore("ephemeral:");
    await store.copyTo(target);
    const marked = await Promise.all(chats.map(({ id }) => target.wasPurged(id)));
    assert.deepEqual(marked, [false, true, true]);
    const folder = join(bench.folder, "back");
    mkdirSync(folder);
    const back = await bench.open({}, folder);
    await target.copyTo(back);
    assert.equal(await back.wasPurged((chats[1] as Conversation).id), true);
  });

  check.persistent("a store that is opened again remembers what was purged", async (bench) => {
    const store = await bench.open();
    const [one, two] = [await store.create(), await store.create()];
    await store.purge(one.id, { force: true });
    await store.close();
    const again = await bench.open();
    assert.equal(await again.wasPurged(one.id), true);
    const reader = await bench.open();
    assert.equal(await reader.wasPurged(two.id), false);
    await again.purge(two.id, { force: true });
    assert.equal(await reader.wasPurged(two.id), true);
  });

  check("a purge removes nothing from other conversations", async (bench) => {
    const store = await bench.open();
    const [one, two] = [await store.create(), await store.create()];
    await one.append(say("one"));
    await two.append(say("two"));
    await store.purge(one.id, { force: true });
    assert.deepEqual(texts(await allMessages(two)), ["two"]);
    assert.equal((await store.stats()).conversations, 1);
  });

  check.persistent("no file contains redacted, pruned or purged content", async (bench) => {
    const store = await bench.open();
    const [redacted, pruned, purged] = [await store.create(), await store.create(), await store.create()];
    const [entry] = (await redacted.append(say(SECRET, "harmless"))).entries;
    const [start] = (await pruned.append(say("harmless"))).entries;
    await pruned.branch(idOf(start), { name: "b" });
    await pruned.append(say(SECRET, SECRET), { branch: "b" });
    await purged.append(say(SECRET));
    await purged.update({ title: SECRET });
    const turn = await purged.beginTurn();
    await turn.delta(SECRET);
    assert.ok(filesWith(bench.folder, "swordfish").length > 0);
    await redacted.redact(idOf(entry));
    await pruned.pruneBranches({ names: ["b"] });
    await store.purge(purged.id, { force: true });
    await refuses("NOT_FOUND", turn.finish());
    await store.close();
    assert.deepEqual(filesWith(bench.folder, "swordfish"), []);
    const again = await bench.open();
    assert.deepEqual(texts(await allMessages((await again.get(pruned.id)) as Conversation)), ["harmless"]);
    assert.deepEqual((await again.verify()).findings, []);
  });

  check("retention without limits does nothing", async (bench) => {
    let nowMs = Date.UTC(2020, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    await (await store.create()).append(say("old"));
    await store.delete((await store.create()).id);
    nowMs += 20 * 365 * DAY_MS;
    assert.deepEqual(await store.retain({}), { dryRun: false, trashed: [], removed: [], bytes: 0 });
    assert.equal((await store.list()).items.length, 1);
    assert.equal((await store.list({ trash: true })).items.length, 1);
  });

  check("retention supports dry runs, trashes by age, and purges old trash", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    const old = await store.create({ title: "Old" });
    await old.append(say("long ago"));
    const dead = await store.create({ title: "Dead" });
    await dead.append(say("longer ago"));
    await store.delete(dead.id);
    nowMs += 40 * DAY_MS;
    const young = await store.create({ title: "Young" });
    await young.append(say("just now"));
    const policy = { maxAgeDays: 30, trashDays: 30 };
    const plan = await store.retain(policy, { dryRun: true });
    assert.deepEqual(
      [plan.dryRun, plan.trashed.map(({ name }) => name), plan.removed.map(({ name }) => name)],
      [true, ["Old"], ["Dead"]],
    );
    assert.ok(plan.bytes > 0);
    assert.equal((await store.list()).items.length, 2);
    assert.deepEqual(await store.retain(policy), { ...plan, dryRun: false });
    assert.deepEqual(
      (await store.list()).items.map(({ title }) => title),
      ["Young"],
    );
    assert.deepEqual(
      (await store.list({ trash: true })).items.map(({ title }) => title),
      ["Old"],
    );
    await refuses("NOT_FOUND", store.restore(dead.id));
    await store.restore(old.id);
    assert.deepEqual(texts(await allMessages(old)), ["long ago"]);
  });

  check("retention keeps the newest by count and size, with limits per channel", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    for (const channel of ["web", "discord"]) {
      for (const n of [1, 2, 3]) {
        nowMs += 1000;
        const chat = await store.create({ channel, title: `${channel} ${n}` });
        await chat.append(say("x".repeat(10_000), "y"));
      }
    }
    const trashed = async (policy: Parameters<typeof store.retain>[0]): Promise<string[]> =>
      (await store.retain(policy, { dryRun: true })).trashed.map(({ name }) => name).toSorted();
    assert.deepEqual(await trashed({ maxMessages: 4 }), ["discord 1", "web 1"]);
    assert.deepEqual(await trashed({ channels: { web: { maxMessages: 2 } } }), ["web 1", "web 2"]);
    assert.deepEqual(await trashed({ maxMessages: 0, channels: { web: { maxMessages: 99 } } }), [
      "discord 1",
      "discord 2",
    ]);
    assert.deepEqual(await trashed({ maxBytes: 25_000 }), ["discord 1", "web 1"]);
    await refuses("VALIDATION_ERROR", store.retain({ maxAgeDays: -1 }));
    await refuses("VALIDATION_ERROR", store.retain({ maxAge: 1 } as object));
  });
};
