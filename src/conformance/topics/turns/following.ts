import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { FollowEvent } from "../../../store/turns/follow.ts";
import { SHARED_KEY } from "../../child-process.ts";
import { allMessages, refuses, type Topic, texts } from "../../kit.ts";
import { fresh } from "./turns.ts";

/** Everything up to the end of the turn. */
async function followed(events: AsyncIterable<FollowEvent>): Promise<{ text: string; end: FollowEvent }> {
  let text = "";
  for await (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "end") return { text, end: event };
  }
  return assert.fail("The turn did not end");
}

export const following: Topic = (check) => {
  check("a follower receives all text from its position, and the end", async (bench) => {
    const chat = await fresh(bench);
    assert.deepEqual(await Array.fromAsync(chat.follow()), []);
    const turn = await chat.beginTurn();
    await turn.delta("0123456789");
    const following = [0, 4, 10, 12].map((from) => followed(chat.follow({ from })));
    for (const piece of ["abc", "def", "ghi"]) {
      await sleep(15);
      await turn.delta(piece);
    }
    const entry = await turn.finish("stopped");
    const whole = "0123456789abcdefghi";
    for (const [index, { text, end }] of (await Promise.all(following)).entries()) {
      assert.equal(text, whole.slice([0, 4, 10, 12][index]));
      assert.ok(end.type === "end");
      assert.deepEqual([end.state, end.entry?.id], ["stopped", entry?.id]);
    }
  });

  check(
    "text before a tool call is part of that message, and the next answer starts empty",
    async (bench) => {
      const chat = await fresh(bench);
      const turn = await chat.beginTurn();
      await turn.delta("let me look");
      const following = chat.follow();
      const first = await following.next();
      assert.deepEqual(first.value, { type: "text", position: 0, text: "let me look" });
      await turn.add({
        role: "assistant",
        content: [
          { type: "text", text: "let me look" },
          { type: "tool_use", id: "u", name: "read", input: {} },
        ],
      });
      await turn.add({ role: "user", content: [{ type: "tool_result", tool_use_id: "u", content: "42" }] });
      await turn.delta("it is 42");
      assert.equal((await chat.turn())?.text, "it is 42");
      await turn.finish();
      assert.equal((await allMessages(chat)).length, 3);
      assert.equal((await allMessages(chat)).at(-1)?.message?.content, "it is 42");
      // However long the follower slept meanwhile.
      const events = await Array.fromAsync(following);
      assert.deepEqual(
        events.map((event) => (event.type === "text" ? [event.position, event.text] : event.type)),
        ["part", [0, "it is 42"], "end"],
      );
    },
  );

  check("a slow follower receives the text of all parts", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("AAA ");
    const following = chat.follow();
    await following.next();
    const add = (text: string): Promise<unknown> => turn.add({ role: "assistant", content: text });
    await turn.delta("BBB ");
    await add("AAA BBB ");
    await turn.delta("CC ");
    await add("CC ");
    await turn.delta("DD");
    await turn.finish();
    const events = await Array.fromAsync(following);
    const words = events.map((event) => (event.type === "text" ? event.text : event.type));
    assert.deepEqual(words, ["BBB ", "part", "CC ", "part", "DD", "end"]);
  });

  check("a follower can stop", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("text");
    const stop = new AbortController();
    const events: FollowEvent[] = [];
    for await (const event of chat.follow({ signal: stop.signal })) {
      events.push(event);
      stop.abort();
    }
    assert.deepEqual(events, [{ type: "text", position: 0, text: "text" }]);
    await turn.finish();
  });

  check.persistent("another store can follow too, and opening it does not end the turn", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("first ");
    const other = await (await bench.open()).open(SHARED_KEY);
    assert.equal((await other.turn())?.text, "first ");
    await refuses("CONFLICT", other.beginTurn());
    const following = other.follow({ from: 3 });
    assert.deepEqual((await following.next()).value, { type: "text", position: 3, text: "st " });
    await turn.delta("second");
    await turn.finish();
    const { text, end } = await followed(following);
    assert.equal(text, "second");
    assert.ok(end.type === "end" && end.state === "finished");
    assert.deepEqual(texts(await allMessages(other)), ["first second"]);
  });
};
