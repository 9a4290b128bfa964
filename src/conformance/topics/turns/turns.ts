import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Conversation } from "../../../store/conversation.ts";
import type { Lease } from "../../../store/turns/lease.ts";
import { Child, SHARED_KEY } from "../../child-process.ts";
import { allMessages, type Bench, PATIENCE_MS, refuses, say, type Topic, texts } from "../../kit.ts";

const question = { role: "user", content: "question" } as const;

/** The conversation that other processes know too. */
export async function fresh(bench: Bench): Promise<Conversation> {
  const store = await bench.open({ durability: "process" });
  return store.open(SHARED_KEY);
}

/** A lease that is not renewed: its holder can write until another one takes it. */
function shortLease(chat: Conversation): Promise<Lease> {
  return chat.lease({ ttlMs: 1 });
}

export const turns: Topic = (check) => {
  check("text that is in the log already is not sealed a second time", async (bench) => {
    const chat = await fresh(bench);
    const lease = await chat.lease();
    const turn = await chat.beginTurn({ operationId: "t1", lease });
    await turn.delta("Let me look.");
    // As a kill leaves it between a message and its journal, where these are two files.
    await chat.append({ role: "assistant", content: "Let me look." }, { operationId: "t1/1", lease });
    await lease.release();
    const again = await chat.beginTurn({ operationId: "t1" });
    assert.deepEqual([again.state, texts(again.entries)], ["interrupted", ["Let me look."]]);
    assert.deepEqual(texts(await allMessages(chat)), ["Let me look."]);
  });

  check("a turn stores the question, tool results, and the streamed answer as one message", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1", model: "m-1" });
    assert.equal(turn.state, "running");
    const [asked] = (await turn.add(question)).entries;
    await turn.add({
      role: "assistant",
      content: [{ type: "tool_use", id: "u", name: "read", input: {} }],
    });
    await turn.add({ role: "user", content: [{ type: "tool_result", tool_use_id: "u", content: "42" }] });
    await turn.delta("The answer ");
    await turn.delta("is 42.");
    assert.equal(turn.text, "The answer is 42.");
    const answer = await turn.finish();
    assert.deepEqual(answer?.message, {
      role: "assistant",
      content: "The answer is 42.",
      model: "m-1",
      endState: "finished",
    });
    assert.equal(turn.state, "finished");
    const entries = await allMessages(chat);
    assert.deepEqual(entries, turn.entries);
    assert.deepEqual([entries[0]?.id, entries.length], [asked?.id, 4]);
    assert.deepEqual(
      entries.map(({ operationId }) => operationId),
      ["t1/1", "t1/2", "t1/3", "t1/end"],
    );
  });

  check("finished, stopped and interrupted answers are distinguished", async (bench) => {
    const chat = await fresh(bench);
    const first = await chat.beginTurn();
    await first.delta("whole");
    await first.finish();
    const second = await chat.beginTurn();
    await second.delta("stop");
    await second.finish("stopped");
    // Its turn ends as soon as another one starts.
    const third = await chat.beginTurn({ lease: await shortLease(chat) });
    await third.delta("cut o");
    const fourth = await chat.beginTurn({ waitMs: PATIENCE_MS });
    await fourth.finish("finished", { message: { role: "assistant", content: "last" } });
    assert.deepEqual(
      (await allMessages(chat)).map(({ message }) => [message?.content, message?.endState]),
      [
        ["whole", "finished"],
        ["stop", "stopped"],
        ["cut o", "interrupted"],
        ["last", "finished"],
      ],
    );
    await refuses("CONFLICT", third.finish());
    await refuses("CONFLICT", third.add(question));
    assert.equal((await chat.info()).messageCount, 4);
  });

  check("a turn that has ended accepts nothing more", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("done");
    await turn.finish();
    await refuses("CONFLICT", (async () => turn.delta("more"))());
    await refuses("CONFLICT", turn.add(question));
    await refuses("CONFLICT", turn.finish());
    assert.deepEqual(texts(await allMessages(chat)), ["done"]);
  });

  check("streamed text can be read immediately, and the journal is removed at the end", async (bench) => {
    const chat = await fresh(bench);
    assert.equal(await chat.turn(), undefined);
    const turn = await chat.beginTurn({ operationId: "t1" });
    await turn.delta("some ");
    await turn.delta("text");
    const open = await chat.turn();
    assert.deepEqual([open?.id, open?.text, open?.branch], ["t1", "some text", "main"]);
    assert.deepEqual(await allMessages(chat), []);
    await turn.finish();
    assert.equal(await chat.turn(), undefined);
  });

  check("a stream does not grow the log, however many pieces it has", async (bench) => {
    const store = await bench.open({ durability: "process" });
    const chat = await store.create();
    const turn = await chat.beginTurn();
    const pieces = Array.from({ length: 5000 }, (_, n) => `piece ${n}, `);
    // Not awaited one by one: the turn guarantees order and completeness.
    for (const piece of pieces) void turn.delta(piece);
    await turn.finish();
    const text = pieces.join("");
    assert.deepEqual(texts(await allMessages(chat)), [text]);
    assert.equal((await chat.entries({ all: true })).items.length, 1);
    const size = (await store.stats()).sizes[chat.id] as number;
    assert.ok(size < text.length * 2, `${size} bytes for ${text.length} characters`);
  });

  check("a character can be split between two deltas", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    for (const half of ["a\ud83d", "\udc4b", "b"]) await turn.delta(half);
    assert.equal((await chat.turn())?.text, "a👋b");
    await turn.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["a👋b"]);
  });

  check("a retry of a turn that has ended writes nothing and returns the same entries", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1" });
    await turn.add(question);
    await turn.delta("answer");
    await turn.finish("stopped");
    const again = await chat.beginTurn({ operationId: "t1" });
    assert.equal(again.state, "stopped");
    assert.deepEqual(again.entries, turn.entries);
    await refuses("CONFLICT", again.add(question));
    assert.deepEqual(texts(await allMessages(chat)), ["question", "answer"]);
    const next = await chat.beginTurn({ operationId: "t2" });
    assert.equal(next.state, "running");
    await next.finish();
  });

  check("a turn without text leaves no message, but its end is recorded", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ operationId: "t1" });
    assert.equal(await turn.finish("stopped"), undefined);
    assert.deepEqual(await allMessages(chat), []);
    assert.equal((await chat.beginTurn({ operationId: "t1" })).state, "stopped");
  });

  check("a given message replaces the streamed text", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ model: "m-1" });
    await turn.delta("raw");
    const message = { role: "assistant", content: "polished", usage: { output: 7 } } as const;
    const entry = await turn.finish("finished", { message });
    assert.deepEqual(entry?.message, { ...message, model: "m-1", endState: "finished" });
    assert.deepEqual(texts(await allMessages(chat)), ["polished"]);
  });

  check("one conversation has one turn at a time, and the next one can wait", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    const error = await refuses("CONFLICT", chat.beginTurn());
    assert.equal(error.field, "lease");
    const waiting = chat.beginTurn({ waitMs: PATIENCE_MS });
    await turn.delta("first");
    await turn.finish();
    const next = await waiting;
    await next.delta("second");
    await next.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["first", "second"]);
  });

  check("a turn stays on its branch whatever is checked out meanwhile", async (bench) => {
    const chat = await fresh(bench);
    const [entry] = (await chat.append(say("start"))).entries;
    await chat.branch(entry?.id as string, { name: "b" });
    const turn = await chat.beginTurn({ branch: "b" });
    await turn.delta("on b");
    const mine = await chat.beginTurn().catch(() => undefined);
    assert.equal(mine, undefined);
    await chat.checkout("b");
    await chat.checkout("main");
    await turn.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["start"]);
    assert.deepEqual(texts(await allMessages(chat, { branch: "b" })), ["start", "on b"]);
  });

  check("a turn stays on its branch when that is renamed", async (bench) => {
    const chat = await fresh(bench);
    const [start] = (await chat.append(say("start"))).entries;
    const turn = await chat.beginTurn();
    await turn.delta("on the first");
    await chat.branch(start?.id as string, { name: "b", checkout: true });
    await chat.flatten();
    await turn.finish();
    assert.deepEqual(texts(await allMessages(chat, { branch: "former-main" })), ["start", "on the first"]);
    assert.deepEqual(texts(await allMessages(chat)), ["start"]);
    const second = await chat.beginTurn({ branch: "former-main" });
    await second.delta("and on it");
    await chat.checkout("former-main");
    await chat.flatten();
    await second.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["start", "on the first", "and on it"]);
  });

  check("streamed text is kept when its branch is pruned meanwhile", async (bench) => {
    const chat = await fresh(bench);
    const [start] = (await chat.append(say("start"))).entries;
    await chat.branch(start?.id as string, { name: "b" });
    const turn = await chat.beginTurn({ branch: "b", lease: await shortLease(chat) });
    await turn.delta("a word");
    await chat.pruneBranches({ names: ["b"] });
    const next = await chat.beginTurn({ waitMs: PATIENCE_MS });
    await next.finish();
    const { items } = await chat.entries({ all: true });
    assert.ok(JSON.stringify(items).includes("a word"), "The word was lost");
  });

  check.persistent(
    "a killed process leaves its partial answer, which the next process seals",
    async (bench) => {
      await using child = new Child(bench, { task: "turn", turn: "t1" }, "full");
      await child.heard("ack", 40);
      await child.kill();
      const acknowledged = child.said("ack").length;
      assert.ok(acknowledged >= 40);
      const reader = await bench.open({ readonly: true });
      const partial = await (await reader.get(SHARED_KEY))?.turn();
      assert.equal(partial?.id, "t1");
      const store = await bench.open();
      const chat = await store.open(SHARED_KEY);
      const [asked, answer, ...rest] = await allMessages(chat);
      assert.deepEqual([asked?.message?.content, rest], ["the question", []]);
      assert.deepEqual(
        [answer?.message?.endState, answer?.message?.model, answer?.message?.role],
        ["interrupted", "m-1", "assistant"],
      );
      const text = String(answer?.message?.content);
      const promised = Array.from({ length: acknowledged }, (_, n) => `piece ${n}, `).join("");
      assert.equal(text.slice(0, promised.length), promised);
      assert.equal(text, partial?.text);
      assert.equal(await chat.turn(), undefined);
      assert.equal((await chat.beginTurn({ operationId: "t1" })).state, "interrupted");
      const next = await chat.beginTurn({ operationId: "t2" });
      await next.delta("going on");
      await next.finish();
      assert.equal((await chat.info()).messageCount, 3);
      assert.deepEqual((await store.verify()).findings, []);
    },
  );

  check.persistent(
    "a process killed while streaming is taken over long before its lease expires",
    async (bench) => {
      await using child = new Child(bench, { task: "turn", turn: "t1" });
      await child.heard("ack", 3);
      const chat = await fresh(bench);
      await refuses("CONFLICT", chat.beginTurn());
      const waiting = chat.beginTurn({ waitMs: PATIENCE_MS });
      await child.kill();
      const turn = await waiting;
      await turn.delta("mine");
      await turn.finish();
      assert.deepEqual(
        (await allMessages(chat)).map(({ message }) => message?.endState),
        [undefined, "interrupted", "finished"],
      );
    },
  );

  check("disposing a turn that is ending, or was lost, does not throw", async (bench) => {
    const chat = await fresh(bench);
    const answered = async (): Promise<unknown> => {
      await using turn = await chat.beginTurn();
      await turn.delta("whole");
      return turn.finish();
    };
    await answered();
    assert.equal((await allMessages(chat)).at(-1)?.message?.endState, "finished");
    const lost = async (): Promise<void> => {
      await using turn = await chat.beginTurn({ lease: await shortLease(chat) });
      await (await chat.lease({ waitMs: PATIENCE_MS })).release();
      await turn.add(say("too late"));
    };
    await refuses("CONFLICT", lost(), /lease/i);
    const sealed = async (): Promise<void> => {
      await using turn = await chat.beginTurn({ lease: await shortLease(chat) });
      await turn.delta("half");
      const next = await chat.beginTurn({ waitMs: PATIENCE_MS });
      await next.finish();
      await turn.add(say("too late"));
    };
    await refuses("CONFLICT", sealed());
    assert.equal((await allMessages(chat)).at(-1)?.message?.endState, "interrupted");
  });

  check("streamed text is kept, even if the next message does not contain it", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ model: "m-1" });
    await turn.delta("Let me look. ");
    await turn.add({ role: "assistant", content: [{ type: "tool_use", id: "u", name: "read", input: {} }] });
    await turn.finish();
    const [message] = (await allMessages(chat)).map((entry) => entry.message);
    assert.equal(message?.model, "m-1");
    assert.deepEqual(message?.content, [
      { type: "text", text: "Let me look. " },
      { type: "tool_use", id: "u", name: "read", input: {} },
    ]);
  });

  check("turns whose ids have a common prefix are distinguished", async (bench) => {
    const chat = await fresh(bench);
    for (const operationId of ["a/b", "a"]) {
      const turn = await chat.beginTurn({ operationId });
      await turn.delta(`of ${operationId}`);
      await turn.finish();
    }
    assert.deepEqual(texts((await chat.beginTurn({ operationId: "a" })).entries), ["of a"]);
  });

  check("a stream that is too long for a message is refused in time", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("x".repeat(9 * 1024 * 1024));
    assert.throws(() => turn.delta("x".repeat(2 * 1024 * 1024)), { code: "VALIDATION_ERROR" });
    assert.equal((await turn.finish("stopped"))?.message?.endState, "stopped");
  });

  check("an answer is an assistant message and ends once", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("x");
    await refuses("VALIDATION_ERROR", turn.finish("finished", { message: { role: "user", content: "no" } }));
    const [first, second] = await Promise.allSettled([turn.finish(), turn.finish("stopped")]);
    assert.deepEqual([first.status, second.status], ["fulfilled", "rejected"]);
    assert.equal((await allMessages(chat)).length, 1);
  });

  check("a follower can wait for a turn to start", async (bench) => {
    const chat = await fresh(bench);
    const following = chat.follow({ wait: true });
    const first = following.next();
    await sleep(30);
    const turn = await chat.beginTurn();
    await turn.delta("there");
    assert.deepEqual((await first).value, { type: "text", position: 0, text: "there" });
    await turn.finish();
    const events = await Array.fromAsync(following);
    assert.equal(events.at(-1)?.type, "end");
  });
};
