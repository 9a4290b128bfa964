import assert from "node:assert/strict";
import type { Conversation } from "../../store/conversation.ts";
import { Child, SHARED_KEY, type WriteTask } from "../child-process.ts";
import { allMessages, type Bench, type Topic, texts } from "../kit.ts";

type Writer = Child<WriteTask>;

function writer(
  bench: Bench,
  job: Omit<WriteTask, "task"> & { readonly durability: "full" | "process" },
): Writer {
  const { durability, ...task } = job;
  return new Child(bench, { task: "write", ...task }, durability);
}

/** How many appends were acknowledged. */
function acknowledged(child: Writer): number {
  return child.said("ack").length;
}

/** Everything acknowledged is there once and in order; appends are complete and contiguous. */
function checkWriter(contents: readonly unknown[], child: Writer): void {
  const { job } = child;
  const mine = contents.flatMap((content, at) =>
    String(content).startsWith(`${job.writer} `) ? [[content, at] as const] : [],
  );
  const whole = mine.length / job.batch;
  assert.ok(Number.isInteger(whole), `${job.writer}: part of an append is missing`);
  const promised = acknowledged(child);
  assert.ok(whole >= promised, `${job.writer}: ${promised} acknowledged, ${whole} found`);
  mine.forEach(([content, at], index) => {
    const n = Math.floor(index / job.batch);
    const part = index % job.batch;
    assert.equal(content, `${job.writer} ${n} ${part}`);
    if (part > 0) assert.equal(at, (mine[index - 1]?.[1] as number) + 1, "an append is not contiguous");
  });
}

async function contentsOf(bench: Bench): Promise<unknown[]> {
  const store = await bench.open({ onProblem: () => {} });
  const chat = (await store.get(SHARED_KEY)) as Conversation;
  const entries = await allMessages(chat);
  assert.equal((await chat.info()).messageCount, entries.length);
  assert.deepEqual((await store.verify()).findings, []);
  await store.close();
  return texts(entries);
}

export const processes: Topic = (check) => {
  check.persistent(
    "three processes write to one conversation without losing or mixing anything",
    async (bench) => {
      const writers = ["a", "b", "c"].map((name) =>
        writer(bench, { writer: name, count: 60, batch: 3, durability: "process" }),
      );
      await Promise.all(writers.map((child) => child.ended()));
      assert.equal(new Set(writers.map((child) => child.said("open")[0])).size, 1);
      const contents = await contentsOf(bench);
      assert.equal(contents.length, 3 * 60 * 3);
      for (const child of writers) {
        assert.equal(acknowledged(child), 60);
        checkWriter(contents, child);
      }
    },
  );

  check.persistent(
    "everything a killed process acknowledged is there, and the next process continues",
    async (bench) => {
      const killed: Writer[] = [];
      for (const [round, times] of [1, 7, 2, 19].entries()) {
        const child = writer(bench, {
          writer: `w${round}`,
          count: 100_000,
          batch: 2,
          durability: "full",
        });
        await child.heard("ack", times);
        await child.kill();
        killed.push(child);
        const contents = await contentsOf(bench);
        for (const earlier of killed) checkWriter(contents, earlier);
        assert.ok(acknowledged(child) >= times);
      }
    },
  );

  check.persistent("killing one writer loses nothing of the others", async (bench) => {
    const victim = writer(bench, { writer: "victim", count: 100_000, batch: 2, durability: "process" });
    const others = ["x", "y"].map((name) =>
      writer(bench, { writer: name, count: 40, batch: 2, durability: "process" }),
    );
    await victim.heard("ack", 5);
    await victim.kill();
    await Promise.all(others.map((child) => child.ended()));
    const contents = await contentsOf(bench);
    for (const child of [victim, ...others]) checkWriter(contents, child);
    assert.deepEqual(others.map(acknowledged), [40, 40]);
  });

  check.persistent("an open store sees the writes of another process", async (bench) => {
    const store = await bench.open();
    assert.equal(await store.get(SHARED_KEY), undefined);
    await writer(bench, { writer: "other", count: 3, batch: 1, durability: "process" }).ended();
    const chat = (await store.get(SHARED_KEY)) as Conversation;
    assert.equal((await chat.info()).messageCount, 3);
    const { entries } = await chat.append({ role: "user", content: "mine" });
    assert.equal(entries[0]?.seq, 4);
    assert.equal((await store.list()).items[0]?.messageCount, 4);
  });
};
