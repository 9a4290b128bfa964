import assert from "node:assert/strict";
import { Child } from "../../child-process.ts";
import { allMessages, PATIENCE_MS, refuses, say, type Topic, texts } from "../../kit.ts";
import { fresh } from "./turns.ts";

/** What a program keeps besides messages: notes of a turn in progress, and records. */
export const notes: Topic = (check) => {
  check(
    "a note of a turn is found after its interruption, and the log grows by its end only",
    async (bench) => {
      const chat = await fresh(bench);
      const turn = await chat.beginTurn({ operationId: "t1" });
      assert.equal(turn.noted, undefined);
      await turn.delta("Let me look.");
      await turn.add({
        role: "assistant",
        content: [{ type: "tool_use", id: "u", name: "read", input: {} }],
      });
      await turn.note({ started: "u" });
      await turn.note({ started: "v" });
      assert.deepEqual(turn.noted, { started: "v" });
      assert.equal((await chat.turn())?.text, "");
      await turn.finish("interrupted");
      const again = await chat.beginTurn({ operationId: "t1" });
      assert.deepEqual([again.state, again.noted], ["interrupted", { started: "v" }]);
      await refuses("CONFLICT", again.note({}));
      assert.equal((await chat.entries({ all: true })).items.length, 2);
    },
  );

  check("a note between two deltas does not disturb the text", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1" });
    void turn.delta("before ");
    await turn.note({ at: 1 });
    await turn.delta("after");
    await turn.finish("interrupted");
    const again = await chat.beginTurn({ operationId: "t1" });
    assert.deepEqual([texts(again.entries), again.noted], [["before after"], { at: 1 }]);
  });

  check("a note does not outlive a turn that was not interrupted", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1" });
    await turn.note({ started: "u" });
    await turn.finish("stopped");
    assert.equal((await chat.beginTurn({ operationId: "t1" })).noted, undefined);
  });

  check.persistent("a killed process leaves its note", async (bench) => {
    await using child = new Child(bench, { task: "turn", turn: "t1", note: { started: "u" } }, "full");
    await child.heard("ack", 1);
    await child.kill();
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1", waitMs: PATIENCE_MS });
    assert.deepEqual([turn.state, turn.noted], ["interrupted", { started: "u" }]);
  });

  check("a record is an entry on the path that no model sees", async (bench) => {
    const chat = await fresh(bench);
    await chat.append(say("before"));
    const data = { type: "note", firstKept: "as it is", nested: { list: [1, null] } };
    const entry = await chat.record(data, { operationId: "r1" });
    assert.deepEqual([entry.kind, entry.data, entry.operationId], ["custom", data, "r1"]);
    assert.equal((await chat.record(data, { operationId: "r1" })).id, entry.id);
    await refuses("CONFLICT", chat.record({ other: 1 }, { operationId: "r1" }));
    await refuses("VALIDATION_ERROR", chat.record([] as never));
    await refuses("VALIDATION_ERROR", chat.record({ when: new Date() } as never));
    await chat.append(say("after"));
    assert.deepEqual((await chat.entries()).items[1], entry);
    assert.deepEqual(texts(await allMessages(chat)), ["before", "after"]);
    assert.equal((await chat.context({ maxTokens: 10_000 })).messages.length, 2);
  });

  check("a signal ends the wait for a lease, and the next in line gets it", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    const stop = new AbortController();
    const waiting = refuses("CONFLICT", chat.beginTurn({ waitMs: PATIENCE_MS, signal: stop.signal }));
    const next = chat.beginTurn({ waitMs: PATIENCE_MS });
    stop.abort();
    await waiting;
    await turn.finish();
    await (await next).finish();
  });
};
