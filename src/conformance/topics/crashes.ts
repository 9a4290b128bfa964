import assert from "node:assert/strict";
import { textOf } from "../../message/text.ts";
import { Child, type MixTask, SHARED_KEY } from "../child-process.ts";
import { allMessages, type Bench, type Topic } from "../kit.ts";

/** How long each process lives after its first acknowledgement. */
const LIVES_MS = [0, 30, 70, 150];

/** Whatever it was doing, acknowledged writes are there once, and the store is intact. */
async function checkAfter(bench: Bench, children: readonly Child<MixTask>[]): Promise<void> {
  const store = await bench.open({ onProblem: () => {} });
  const chat = await store.open(SHARED_KEY);
  const contents = (await allMessages(chat)).map(({ message }) => message);
  const whole = contents.map((message) => (message === undefined ? "" : textOf(message)));
  for (const child of children) {
    for (const name of child.said("ack")) {
      const at = whole.indexOf(`${name} first`);
      assert.ok(at !== -1 && at === whole.lastIndexOf(`${name} first`), `${name}: missing or duplicated`);
      const result = { type: "tool_result", tool_use_id: "t", content: name.repeat(10_000) };
      assert.deepEqual(contents[at + 1], { role: "user", content: [result] });
    }
    for (const name of child.said("delta")) {
      assert.equal(whole.filter((text) => text === `${name} streamed`).length, 1, `${name}: streamed`);
    }
    const ended = child.said("turn").map((name) => `${name} streamed`);
    const states = contents.flatMap((message, at) =>
      ended.includes(whole[at] as string) ? [message?.endState] : [],
    );
    assert.deepEqual(new Set(states), new Set(ended.length === 0 ? [] : ["finished"]));
  }
  const { items } = await chat.entries({ all: true, limit: 10_000, blobs: "references" });
  const messages = items.filter(({ kind }) => kind === "message").length;
  const info = await chat.info();
  assert.deepEqual([info.messageCount, info.branchCount], [messages, (await chat.branches()).length]);
  assert.deepEqual((await store.verify()).findings, []);
  await store.close();
}

export const crashes: Topic = (check) => {
  check.persistent(
    "a process can be killed while it branches, redacts, prunes and streams",
    async (bench) => {
      const killed: Child<MixTask>[] = [];
      for (const [round, livesMs] of LIVES_MS.entries()) {
        await using child = new Child(bench, { task: "mix", round });
        killed.push(child);
        await child.heard("ack");
        await new Promise((resolve) => setTimeout(resolve, livesMs));
        await child.kill();
        await checkAfter(bench, killed);
      }
    },
  );
};
