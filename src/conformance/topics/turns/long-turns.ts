import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Conversation } from "../../../store/conversation.ts";
import type { FollowEvent } from "../../../store/turns/follow.ts";
import { allMessages, type Bench, refuses, say, type Topic, texts } from "../../kit.ts";

async function fresh(bench: Bench): Promise<Conversation> {
  return (await bench.open({ durability: "process" })).create();
}

/** What a follower sees, with texts that arrive in pieces joined. */
async function wordsOf(events: AsyncIterable<FollowEvent>): Promise<string[]> {
  const words: string[] = [];
  let text = "";
  for await (const event of events) {
    if (event.type === "text") text += event.text;
    else {
      words.push(text, event.type);
      text = "";
    }
  }
  return words;
}

export const longTurns: Topic = (check) => {
  check("a retry returns every entry of a turn, however many", async (bench) => {
    const chat = await fresh(bench);
    await (await chat.beginTurn({ operationId: "before" })).finish();
    await chat.append(say(...Array.from({ length: 1200 }, (_, n) => `earlier ${n}`)));
    const turn = await chat.beginTurn({ operationId: "t1" });
    for (let step = 0; step < 25; step++) {
      await turn.add(say(...Array.from({ length: 100 }, (_, n) => `${step} ${n}`)));
      await chat.append(say("from a channel"));
    }
    await turn.delta("done");
    await turn.finish();
    const again = await chat.beginTurn({ operationId: "t1" });
    assert.equal(again.entries.length, 2501);
    assert.deepEqual(again.entries, turn.entries);
    assert.equal((await chat.beginTurn({ operationId: "before" })).entries.length, 0);
  });

  check("a turn outlives its lease by renewing it", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn({ ttlMs: 1000 });
    await turn.delta("long ");
    // A renewal is due before this, so it also comes before this after a stall of the process.
    await sleep(1300);
    await refuses("CONFLICT", chat.lease());
    await turn.delta("answer");
    await turn.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["long answer"]);
  });

  check("a stream of many thousand pieces and several megabytes arrives whole", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    const following = wordsOf(chat.follow({ wait: true }));
    const piece = "words of an answer, ".repeat(10);
    const pieces = Array.from({ length: 20_000 }, (_, n) => `${n}: ${piece}`);
    for (const [n, text] of pieces.entries()) {
      const journalled = turn.delta(text);
      if (n % 500 === 0) await journalled;
    }
    const entry = await turn.finish();
    const whole = pieces.join("");
    assert.ok(whole.length > 4_000_000);
    assert.ok(entry?.message.content === whole, "The answer differs");
    const [seen, ...rest] = await following;
    assert.ok(seen === whole, "The follower saw another text");
    assert.deepEqual(rest, ["end"]);
    assert.equal((await chat.entries({ all: true })).items.length, 1);
  });

  check("streamed words are stored once, whatever white space their message has", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    const tool = { type: "tool_use", id: "u", name: "read", input: {} };
    const blocks = [{ type: "text", text: "Let me look." }, { type: "text", text: "It is  here." }, tool];
    for (const text of ["\n\nLet me ", "look.\n", "It is here. "]) await turn.delta(text);
    await turn.add({ role: "assistant", content: blocks });
    for (const text of ["One. ", "Two."]) await turn.delta(text);
    await turn.add([
      { role: "assistant", content: "One." },
      { role: "assistant", content: "Two." },
    ]);
    await turn.delta("Not there");
    await turn.add({ role: "assistant", content: "There" });
    await turn.finish();
    const missing = [
      { type: "text", text: "Not there" },
      { type: "text", text: "There" },
    ];
    assert.deepEqual(texts(await allMessages(chat)), [blocks, "One.", "Two.", missing]);
  });

  check("a follower sees every word once, whatever white space the message has", async (bench) => {
    const chat = await fresh(bench);
    const turn = await chat.beginTurn();
    await turn.delta("\n\n\n\n\nHello ");
    const following = chat.follow();
    await following.next();
    await turn.add({ role: "assistant", content: "Hello world" });
    await turn.delta("raw words");
    await turn.finish("finished", { message: { role: "assistant", content: "polished at the end" } });
    const [first, ...rest] = await wordsOf(following);
    assert.deepEqual([first, ...rest.slice(0, 1), rest.at(-1)], ["world", "part", "end"]);
    // Seen or not before the answer replaced them, but no fragment of the answer.
    assert.ok(["", "raw words", "polished at the end"].includes(String(rest[1])), String(rest[1]));
  });
};
