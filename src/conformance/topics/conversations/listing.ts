import assert from "node:assert/strict";
import type { ConversationInfo } from "../../../engine/index.ts";
import type { ConversationQuery } from "../../../store/read/conversation-pages.ts";
import { allPages, refuses, say, type Topic } from "../../kit.ts";

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

export const listing: Topic = (check) => {
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
};

/** Ascending text in the order that a listing must have. */
function sortKey(info: ConversationInfo): string {
  const newestFirst = 8.64e15 - Date.parse(info.lastMessageAt ?? info.createdAt);
  return `${String(newestFirst).padStart(17, "0")} ${info.id}`;
}
