import assert from "node:assert/strict";
import { join } from "node:path";
import type { JobInput } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import { Child, type JobsTask } from "../child-process.ts";
import { allPages, refuses, type Topic } from "../kit.ts";

const job = (queue: string, id: string, rest: Partial<JobInput> = {}): JobInput => ({ queue, id, ...rest });

async function names(store: Store, query: Parameters<Store["jobs"]["list"]>[0] = {}): Promise<string[]> {
  return (await Array.fromAsync(store.jobs.list(query))).map(({ queue, id }) => `${queue}/${id}`);
}

export const jobs: Topic = (check) => {
  check(
    "jobs are listed by time, then as they were put, by queue, prefix and conversation",
    async (bench) => {
      const store = await bench.open();
      const { id: conversation } = await store.create();
      const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"];
      const put = [
        job("inbox:a", "3", { at: late, conversation }),
        job("inbox:a", "1", { at: late }),
        job("inbox:b", "2", { at: early, data: { chunk: 1, to: ["x"], text: "é\ud83d\ude00" } }),
        job("outbox:a", "2", { at: late, conversation }),
      ];
      assert.deepEqual(await store.jobs.change({ put }), { changed: 4 });
      assert.deepEqual(await names(store), ["inbox:b/2", "inbox:a/3", "inbox:a/1", "outbox:a/2"]);
      assert.deepEqual(await names(store, { queue: "inbox:a" }), ["inbox:a/3", "inbox:a/1"]);
      assert.deepEqual(await names(store, { prefix: "inbox:" }), ["inbox:b/2", "inbox:a/3", "inbox:a/1"]);
      assert.deepEqual(await names(store, { conversation }), ["inbox:a/3", "outbox:a/2"]);
      assert.deepEqual(await store.jobs.get("inbox:b", "2"), { ...put[2], conversation: null });
      assert.equal(await store.jobs.get("inbox:b", "1"), undefined);
      const pages = await allPages((cursor) => store.jobs.list({ limit: 3, ...(cursor && { cursor }) }));
      assert.deepEqual(
        pages.map((page) => page.map(({ id }) => id)),
        [["2", "3", "1"], ["2"]],
      );
    },
  );

  check(
    "a change that is repeated changes nothing, and a job that is replaced keeps its place",
    async (bench) => {
      const store = await bench.open();
      const at = "2026-01-01T00:00:00.000Z";
      const change = { put: [job("q", "1", { at }), job("q", "2", { at })], remove: [job("q", "none")] };
      assert.deepEqual(await store.jobs.change(change), { changed: 2 });
      assert.deepEqual(await store.jobs.change(change), { changed: 0 });
      assert.deepEqual(await store.jobs.change({ put: [job("q", "1", { at, data: { chunk: 1 } })] }), {
        changed: 1,
      });
      assert.deepEqual(await names(store), ["q/1", "q/2"]);
      assert.deepEqual((await store.jobs.get("q", "1"))?.data, { chunk: 1 });
      assert.deepEqual(await store.jobs.change({ remove: [job("q", "1")] }), { changed: 1 });
      assert.deepEqual(await store.jobs.change({ remove: [job("q", "1")] }), { changed: 0 });
    },
  );

  check("a change that expects a job which is gone is refused as a whole", async (bench) => {
    const store = await bench.open();
    const [from, to] = [job("inbox", "1"), job("outbox", "1")];
    await store.jobs.change({ put: [from] });
    const move = { expect: [from], remove: [from], put: [to] };
    assert.deepEqual(await store.jobs.change(move), { changed: 2 });
    await store.jobs.change({ remove: [to], put: [job("other", "1")] });
    await refuses("CONFLICT", store.jobs.change({ ...move, remove: [job("other", "1")] }));
    assert.deepEqual(await names(store), ["other/1"]);
  });

  check("an append puts its jobs once, with its messages or not at all", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const message = { role: "user", content: "hello" } as const;
    const options = { operationId: "discord:1", jobs: [{ queue: "inbox", id: "discord:1" }] };
    await chat.append(message, options);
    assert.equal((await store.jobs.get("inbox", "discord:1"))?.conversation, chat.id);
    await store.jobs.change({ remove: [job("inbox", "discord:1")] });
    assert.equal((await chat.append(message, options)).replayed, true);
    assert.deepEqual(await names(store), []);
    const refused = { ...options, operationId: "discord:2", expectedHead: "another" };
    await refuses("CONFLICT", chat.append(message, refused));
    assert.deepEqual(await names(store), []);
  });

  check("a conversation takes its jobs with it when it is purged, and only then", async (bench) => {
    const store = await bench.open();
    const [gone, kept] = [await store.create(), await store.create()];
    await store.jobs.change({
      put: [
        job("q", "1", { conversation: gone.id }),
        job("q", "2", { conversation: kept.id }),
        job("q", "3"),
      ],
    });
    await store.delete(gone.id);
    assert.deepEqual(await names(store), ["q/1", "q/2", "q/3"]);
    await store.purge(gone.id);
    assert.deepEqual(await names(store), ["q/2", "q/3"]);
    await refuses(
      "NOT_FOUND",
      store.jobs.change({ put: [job("q", "4", { conversation: gone.id }), job("q", "5")] }),
    );
    assert.deepEqual(await names(store), ["q/2", "q/3"]);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check("what is not a job is refused", async (bench) => {
    const store = await bench.open();
    const long = "x".repeat(257);
    const wrong: unknown[] = [
      ...["", long, "a\nb", 1, null].flatMap((name) => [job(name as string, "1"), job("q", name as string)]),
      ...[null, [], "x", { at: new Date() }, { n: Number.NaN }, { text: "x".repeat(64 * 1024) }].map(
        (data) => ({
          ...{ queue: "q", id: "1", data },
        }),
      ),
      { queue: "q", id: "1", at: "yesterday" },
      { queue: "q", id: "1", conversation: "cli:default" },
      { queue: "q", id: "1", words: "no" },
      null,
    ];
    for (const one of wrong) await refuses("VALIDATION_ERROR", store.jobs.change({ put: [one as JobInput] }));
    await refuses("VALIDATION_ERROR", store.jobs.change({ put: [job("q", "1")], remove: [job("q", "1")] }));
    await refuses("VALIDATION_ERROR", store.jobs.list({ cursor: "nonsense" }));
    await refuses("VALIDATION_ERROR", store.jobs.get("", "1"));
    const data = { text: "x".repeat(64 * 1024 - 11) };
    await store.jobs.change({ put: [job("x".repeat(256), "x".repeat(256), { data })] });
    assert.equal((await store.jobs.list()).items.length, 1);
  });

  check.persistent("jobs are there after the store is opened again, in the same order", async (bench) => {
    const first = await bench.open();
    const at = "2026-01-01T00:00:00.000Z";
    await first.jobs.change({ put: [job("q", "b", { at }), job("q", "a", { at, data: { n: 1 } })] });
    await first.jobs.change({ remove: [job("q", "b")] });
    await first.jobs.change({ put: [job("q", "b", { at })] });
    const before = (await first.jobs.list()).items;
    await first.close();
    const second = await bench.open();
    assert.deepEqual((await second.jobs.list()).items, before);
    assert.deepEqual(await names(second), ["q/a", "q/b"]);
    const copies = join(bench.folder, "copies");
    const target = await bench.open({}, copies);
    await second.copyTo(target);
    await second.copyTo(target);
    assert.deepEqual((await target.jobs.list()).items, before);
    assert.deepEqual((await second.verify()).findings, []);
  });

  check.persistent("of two processes that move the same jobs, one moves each", async (bench) => {
    const store = await bench.open();
    const all = Array.from({ length: 40 }, (_, n) => job("inbox", String(n)));
    await store.jobs.change({ put: all });
    const movers = ["a", "b"].map(
      (mover) => new Child<JobsTask>(bench, { task: "jobs", mover, count: all.length }),
    );
    await Promise.all(movers.map((mover) => mover.ended()));
    const moved = movers.flatMap((mover) => mover.said("moved"));
    assert.deepEqual(
      moved.toSorted((a, b) => Number(a) - Number(b)),
      all.map(({ id }) => id),
    );
    assert.deepEqual(await names(store, { queue: "inbox" }), []);
    assert.equal((await names(store, { prefix: "outbox:" })).length, all.length);
    assert.deepEqual((await store.verify()).findings, []);
  });

  check.persistent("a job that a killed process has moved is in one queue", async (bench) => {
    const store = await bench.open();
    const all = Array.from({ length: 500 }, (_, n) => job("inbox", String(n)));
    await store.jobs.change({ put: all });
    for (const [round, times] of [1, 5, 12].entries()) {
      const mover = new Child<JobsTask>(bench, { task: "jobs", mover: String(round), count: all.length });
      await mover.heard("moved", times);
      await mover.kill();
      const [left, done] = [
        await names(store, { queue: "inbox" }),
        await names(store, { prefix: "outbox:" }),
      ];
      assert.equal(left.length + done.length, all.length);
      for (const id of mover.said("moved"))
        assert.ok(done.includes(`outbox:${round}/${id}`), `${id} is lost`);
      assert.deepEqual((await store.verify()).findings, []);
    }
  });
};
