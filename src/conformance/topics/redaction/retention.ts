import assert from "node:assert/strict";
import { refuses, say, type Topic } from "../../kit.ts";

const DAY_MS = 24 * 3_600_000;

export const clock: Topic = (check) => {
  check(
    "retention does not believe a clock far ahead of the newest message, unless forced",
    async (bench) => {
      let nowMs = Date.UTC(2026, 0, 1);
      const store = await bench.open({ clock: () => nowMs });
      const chat = await store.create({ title: "Kept" });
      await chat.append(say("recent"));
      const dead = await store.create();
      await store.delete(dead.id);
      const policy = { maxAgeDays: 365, trashDays: 30 };
      nowMs += 400 * DAY_MS;
      await refuses("CONFLICT", store.retain({ trashDays: 30 }), /clock/);
      const error = await refuses("CONFLICT", store.retain(policy), /clock/);
      assert.deepEqual([error.field, error.details?.newest], ["clock", "2026-01-01T00:00:00.000Z"]);
      assert.equal((await store.list()).items.length, 1);
      assert.equal((await store.list({ trash: true })).items.length, 1);
      const plan = await store.retain(policy, { dryRun: true });
      assert.deepEqual([plan.trashed.length, plan.removed.length], [1, 1]);
      assert.deepEqual(await store.retain(policy, { force: true }), { ...plan, dryRun: false });
    },
  );

  check("retention continues after a pause that does not change what is removed", async (bench) => {
    let nowMs = Date.UTC(2026, 0, 1);
    const store = await bench.open({ clock: () => nowMs });
    await (await store.create({ title: "Old" })).append(say("old"));
    nowMs += 300 * DAY_MS;
    await (await store.create({ title: "Young" })).append(say("young"));
    nowMs += 90 * DAY_MS;
    const { trashed } = await store.retain({ maxAgeDays: 200 });
    assert.deepEqual(
      trashed.map(({ name }) => name),
      ["Old"],
    );
    assert.equal((await store.retain({ maxMessages: 0 })).trashed.length, 0);
  });
};
