import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Conversation } from "../store/conversation.ts";
import { allMessages, type Bench, type ChildJob, type Topic, texts } from "./kit.ts";

const CHILD = new URL(import.meta.url.endsWith(".ts") ? "./child.ts" : "./child.js", import.meta.url);

/** A writer in a process of its own, with what it has said so far. */
class Writer {
  readonly process: ChildProcess;
  readonly job: ChildJob;
  #said = "";

  constructor(bench: Bench, job: Pick<ChildJob, "writer" | "count" | "batch" | "durability">) {
    this.job = { engine: bench.url.href, folder: bench.folder, key: "cli:shared", ...job };
    this.process = spawn(process.execPath, [fileURLToPath(CHILD), JSON.stringify(this.job)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.process.stdout?.on("data", (data) => {
      this.#said += data;
    });
  }

  /** How many appends were acknowledged. A half line was not: the process died writing it. */
  get acknowledged(): number {
    return this.#said.match(/^ack \d+\n/gm)?.length ?? 0;
  }

  get conversation(): string | undefined {
    return /^open (\S+)\n/.exec(this.#said)?.[1];
  }

  async heard(acknowledged: number): Promise<void> {
    while (this.acknowledged < acknowledged && this.process.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async ended(): Promise<void> {
    if (this.process.stdout?.closed !== true) await once(this.process, "close");
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.ended();
  }
}

/** Everything acknowledged is there once and in order; appends are whole, and nothing stands inside them. */
function checkWriter(contents: readonly unknown[], { job, acknowledged }: Writer): void {
  const mine = contents.flatMap((content, at) =>
    String(content).startsWith(`${job.writer} `) ? [[content, at] as const] : [],
  );
  const whole = mine.length / job.batch;
  assert.ok(Number.isInteger(whole), `${job.writer}: part of an append is missing`);
  assert.ok(whole >= acknowledged, `${job.writer}: ${acknowledged} acknowledged, ${whole} found`);
  mine.forEach(([content, at], index) => {
    const n = Math.floor(index / job.batch);
    const part = index % job.batch;
    assert.equal(content, `${job.writer} ${n} ${part}`);
    if (part > 0) assert.equal(at, (mine[index - 1]?.[1] as number) + 1, "an append was torn apart");
  });
}

async function contentsOf(bench: Bench): Promise<unknown[]> {
  const store = await bench.open({ onProblem: () => {} });
  const chat = (await store.get("cli:shared")) as Conversation;
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
      const writers = ["a", "b", "c"].map(
        (writer) => new Writer(bench, { writer, count: 60, batch: 3, durability: "process" }),
      );
      await Promise.all(writers.map((writer) => writer.ended()));
      assert.equal(new Set(writers.map(({ conversation }) => conversation)).size, 1);
      const contents = await contentsOf(bench);
      assert.equal(contents.length, 3 * 60 * 3);
      for (const writer of writers) {
        assert.equal(writer.acknowledged, 60);
        checkWriter(contents, writer);
      }
    },
  );

  check.persistent(
    "what a killed process had acknowledged is there, and the next one goes on",
    async (bench) => {
      const killed: Writer[] = [];
      for (const [round, acknowledged] of [1, 7, 2, 19].entries()) {
        const writer = new Writer(bench, {
          writer: `w${round}`,
          count: 100_000,
          batch: 2,
          durability: "full",
        });
        await writer.heard(acknowledged);
        await writer.kill();
        killed.push(writer);
        const contents = await contentsOf(bench);
        for (const earlier of killed) checkWriter(contents, earlier);
        assert.ok(writer.acknowledged >= acknowledged);
      }
    },
  );

  check.persistent("a writer that is killed among others takes nothing of theirs with it", async (bench) => {
    const victim = new Writer(bench, { writer: "victim", count: 100_000, batch: 2, durability: "process" });
    const others = ["x", "y"].map(
      (writer) => new Writer(bench, { writer, count: 40, batch: 2, durability: "process" }),
    );
    await victim.heard(5);
    await victim.kill();
    await Promise.all(others.map((writer) => writer.ended()));
    const contents = await contentsOf(bench);
    for (const writer of [victim, ...others]) checkWriter(contents, writer);
    assert.deepEqual(
      others.map(({ acknowledged }) => acknowledged),
      [40, 40],
    );
  });

  check.persistent("an open store sees what another process does", async (bench) => {
    const store = await bench.open();
    assert.equal(await store.get("cli:shared"), undefined);
    const writer = new Writer(bench, { writer: "other", count: 3, batch: 1, durability: "process" });
    await writer.ended();
    const chat = (await store.get("cli:shared")) as Conversation;
    assert.equal((await chat.info()).messageCount, 3);
    const entries = await chat.append({ role: "user", content: "mine" });
    assert.equal(entries[0]?.seq, 4);
    assert.equal((await store.list()).items[0]?.messageCount, 4);
  });
};
