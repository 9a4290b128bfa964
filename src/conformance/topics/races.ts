import assert from "node:assert/strict";
import { allMessages, idOf, refuses, say, type Topic, texts } from "../kit.ts";

/** Two operations at once: whichever comes first, nothing acknowledged is lost. */
export const races: Topic = (check) => {
  check("a conversation that is restored is not purged", async (bench) => {
    const store = await bench.open();
    for (const order of ["purge first", "restore first"]) {
      const { id } = await store.create();
      await store.delete(id);
      const purge = (): Promise<unknown> => store.purge(id);
      const restore = (): Promise<unknown> => store.restore(id);
      const both = order === "purge first" ? [purge(), restore()] : [restore(), purge()];
      const results = await Promise.allSettled(both);
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"], order);
      const restored = order === "restore first";
      assert.equal((await store.get(id)) !== undefined, restored);
    }
  });

  check("pruning removes nothing that was added after the decision", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const [start] = (await chat.append(say("start"))).entries;
    await chat.branch(idOf(start), { name: "b" });
    await chat.append(say("old"), { branch: "b" });
    const pruning = chat.pruneBranches({ keep: 0 });
    const late = await chat.append(say("late"), { branch: "b" }).catch(() => undefined);
    const { removed } = await pruning;
    const left = JSON.stringify((await chat.entries({ all: true })).items);
    // It was checked again, with the late message, or the late message was refused.
    if (late !== undefined) assert.equal(removed[0]?.entries, 2);
    assert.ok(!left.includes("old"));
  });

  check("a summary is written to the branch it summarises", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append(say("a", "b", "c", "d", "e"));
    const summarize = async (): Promise<string> => {
      await chat.branch(idOf(entries[0]), { name: "other", checkout: true });
      await chat.append(say("x", "y"));
      await chat.flatten();
      return "a to d";
    };
    await chat.compact({ summarize, keepMessages: 1 });
    const seen = async (branch: string): Promise<string> =>
      JSON.stringify((await chat.context({ maxTokens: 50_000, branch })).messages);
    assert.ok(!(await seen("main")).includes("a to d"), "The other branch has the summary");
    assert.ok((await seen("former-main")).includes("a to d"), "The summary is not where it belongs");
  });

  check("a context has one branch, whatever is checked out meanwhile", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append(say(...Array.from({ length: 700 }, (_, index) => `main ${index}`)));
    await chat.branch(idOf(entries[0]), { name: "other" });
    await chat.append(say("other 1", "other 2"), { branch: "other" });
    const making = chat.context({ maxTokens: 100_000 });
    await chat.checkout("other");
    const { messages } = await making;
    const branches = new Set(messages.slice(1).map(({ content }) => String(content).split(" ", 1)[0]));
    assert.equal(branches.size, 1, [...branches].join());
  });

  check("pages continue on the branch of the first one", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const { entries } = await chat.append(say("1", "2", "3", "4"));
    await chat.branch(idOf(entries[0]), { name: "other" });
    await chat.append(say("5", "6", "7"), { branch: "other" });
    const first = await chat.messages({ limit: 2 });
    await chat.checkout("other");
    const second = await chat.messages({ limit: 2, cursor: first.cursor });
    assert.deepEqual(texts([...first.items, ...second.items]), ["1", "2", "3", "4"]);
    const all = await chat.entries({ all: true, limit: 3 });
    const rest = await chat.entries({ all: true, cursor: all.cursor });
    assert.equal(all.items.length + rest.items.length, 9);
  });

  check("streamed text survives a refused message", async (bench) => {
    const store = await bench.open();
    const chat = await store.create();
    const turn = await chat.beginTurn();
    await turn.delta("Hello. ");
    const source = { type: "blob", hash: "0".repeat(64) };
    await refuses("NOT_FOUND", turn.add({ role: "assistant", content: [{ type: "document", source }] }));
    await turn.delta("More.");
    assert.equal((await chat.turn())?.text, "Hello. More.");
    await turn.finish();
    assert.deepEqual(texts(await allMessages(chat)), ["Hello. More."]);
  });
};
