import assert from "node:assert/strict";
import type { CreateOperation } from "../../../engine/index.ts";
import { openStore } from "../../../store/open.ts";
import { type Bench, idOf, refuses, say, type Topic } from "../../kit.ts";

/** Spellings of one key, the current one last. */
const SPELLINGS = [
  ["CLI:Default", "cli:local", "cli:default"],
  ["Telegram:+1 (234) 567-8900", "telegram:direct:+12345678900", "telegram:+12345678900"],
  ["telegram:0049 176 12345678", "telegram:+49 (0)176 12345678", "telegram:+4917612345678"],
  ["discord:guild1:channel2", "Discord:1:2", "discord:channel:2"],
] as const;

const OLD_ID = "01890000-0000-7000-8000-000000000001";

export const sessionKeys: Topic = (check) => {
  check("every spelling of a key is the same conversation", async (bench) => {
    const store = await bench.open();
    for (const spellings of SPELLINGS) {
      const current = spellings.at(-1) as string;
      const { id } = await store.open(spellings[0]);
      for (const key of spellings) {
        assert.equal((await store.open(key)).id, id, key);
        assert.equal((await store.get(key))?.id, id, key);
        assert.equal((await store.snapshot(key)).info.key, current, key);
        const error = await refuses("CONFLICT", store.create({ key }));
        assert.equal(error.details?.id, id, key);
      }
    }
    assert.equal((await store.list()).items.length, SPELLINGS.length);
  });

  check("a spelling deletes, restores and purges the conversation, too", async (bench) => {
    const store = await bench.open();
    const { id } = await store.open("cli:default");
    assert.equal((await store.delete("CLI:Local")).id, id);
    assert.equal((await store.restore("CLI:Default")).id, id);
    await store.delete("cli:default");
    assert.equal((await store.purge("CLI:DEFAULT")).id, id);
  });

  check("a prefix is normalised like the keys that it filters", async (bench) => {
    const store = await bench.open();
    for (const key of ["telegram:+12345678900", "discord:dm:42", "web:A", "web:a", "agent:ops:cli:x"])
      await store.open(key);
    const found = async (keyPrefix: string) =>
      (await store.list({ keyPrefix })).items.map(({ key }) => key).sort();
    assert.deepEqual(await found("Telegram:+1 (234)"), ["telegram:+12345678900"]);
    assert.deepEqual(await found("Telegram:0012 34"), ["telegram:+12345678900"]);
    assert.deepEqual(await found("Discord:direct:4"), ["discord:dm:42"]);
    assert.deepEqual(await found("WEB:a"), ["web:a"]);
    assert.deepEqual(await found("WE"), ["web:A", "web:a"]);
    assert.deepEqual(await found("Agent:Ops:CLI:"), ["agent:ops:cli:x"]);
  });

  check("a number without a country belongs to the configured one", async (bench) => {
    const store = await bench.open({ defaultCountry: "DE" });
    const { id } = await store.open("telegram:0176 12345678");
    assert.equal((await store.get("telegram:+4917612345678"))?.id, id);
    await refuses("VALIDATION_ERROR", openStore("ephemeral:", { defaultCountry: "Germany" }));
  });

  check("an import normalises the keys that it brings", async (bench) => {
    const store = await bench.open();
    const init = { title: null, channel: null, model: null, atMs: 0 };
    const { key } = await store.ingest().create({ ...init, id: OLD_ID, key: "CLI:Default" });
    assert.equal(key, "cli:default");
  });

  check("a conversation gets another key, unless it is in use", async (bench) => {
    const store = await bench.open();
    const { id } = await store.open("cli:old");
    const other = await store.open("cli:taken");
    const error = await refuses("CONFLICT", store.ingest().rename(id, "cli:taken"));
    assert.equal(error.details?.id, other.id);
    await store.ingest().rename(id, "CLI:New");
    await store.ingest().rename(id, "cli:new");
    assert.equal((await store.get("cli:new"))?.id, id);
    assert.equal(await store.get("cli:old"), undefined);
    assert.equal((await store.create({ key: "cli:old" })).id === id, false);
    assert.deepEqual((await store.verify()).findings, []);
    if (!bench.persistent) return;
    await store.close();
    const again = await bench.open();
    assert.equal((await again.get("cli:new"))?.id, id);
    assert.notEqual((await again.get("cli:old"))?.id, id);
  });

  check(
    "a session starts over, and the former conversation keeps its messages under another key",
    async (bench) => {
      const store = await bench.open();
      const former = await store.open("cli:default");
      assert.equal((await store.startOver("CLI:Default")).id, former.id, "an empty one is used again");
      const { entries } = await former.append(say("before"));
      const fresh = await store.startOver("CLI:Default", { title: "Fresh" });
      assert.notEqual(fresh.id, former.id);
      assert.equal((await store.get("cli:default"))?.id, fresh.id);
      assert.equal((await fresh.info()).title, "Fresh");
      const left = (await former.info()).key ?? "";
      assert.match(left, /^cli:default~x[0-9a-f]{16}$/);
      assert.equal((await store.get(left))?.id, former.id);
      assert.deepEqual((await former.entry(idOf(entries[0])))?.message, { role: "user", content: "before" });
      assert.equal(await fresh.entry(idOf(entries[0])), undefined);
      const [one, two] = await Promise.all([store.startOver("cli:none"), store.startOver("cli:none")]);
      assert.equal(one.id, two.id);
      assert.deepEqual((await store.verify()).findings, []);
    },
  );

  check.persistent("a key that an earlier version stored is found by its own spelling", async (bench) => {
    await withOldKeys(bench, ["CLI:Default"]);
    const store = await bench.open();
    assert.equal((await store.get("CLI:Default"))?.id, OLD_ID);
    assert.equal((await store.open("CLI:Default")).id, OLD_ID);
    assert.equal(await store.get("cli:default"), undefined);
    await store.delete("CLI:Default");
    assert.equal((await store.restore("CLI:Default")).id, OLD_ID);
  });

  check.persistent("a copy keeps both conversations of two keys that become one", async (bench) => {
    await withOldKeys(bench, ["CLI:Default", "cli:local", "web:A"]);
    await using target = await openStore("ephemeral:");
    const store = await bench.open();
    const { skipped, verified } = await store.copyTo(target);
    assert.deepEqual([skipped, verified], [[], true]);
    const keys = (await target.list()).items.map(({ key }) => key).sort();
    assert.deepEqual(keys, ["cli:default", `cli:default~${OLD_ID}`, "web:A"]);
    // The keys stay, whichever is used last.
    const older = await store.get(OLD_ID);
    await older?.append({ role: "user", content: "Later" });
    const again = await store.copyTo(target);
    assert.deepEqual([again.skipped, again.verified], [[], true]);
  });
};

/** Conversations with keys as they were typed. The store itself does not write them any more. */
async function withOldKeys(bench: Bench, keys: readonly string[]): Promise<void> {
  const engine = await bench.engine();
  const operations = keys.map(
    (key, index): CreateOperation => ({
      type: "create",
      id: `${OLD_ID.slice(0, -1)}${index + 1}`,
      idGiven: true,
      key,
      ...{ title: null, channel: "cli", model: null, profileId: null },
      at: `2026-01-0${index + 1}T00:00:00.000Z`,
      resume: false,
    }),
  );
  for (const outcome of await engine.commit(operations)) assert.equal(outcome.ok, true);
  await engine.close();
}
