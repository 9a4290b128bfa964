/** People and other processes change a conversation while an agent answers in it. */
import { describe, expect, it } from "vitest";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { type Conversation, openStore } from "../../src/index.ts";
import { textOf } from "../../src/message/index.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";

const KEY = "cli:default";

async function said(chat: Conversation, branch?: string): Promise<string[]> {
  const { items } = await chat.messages(branch === undefined ? {} : { branch });
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

/** Runs what happens meanwhile. */
function meanwhile(work: (chat: Conversation) => Promise<unknown>): Tool {
  return {
    ...{ name: "meanwhile", description: "Takes its time", inputSchema: { type: "object" } },
    async run(_, { conversation }) {
      await work(conversation as Conversation);
      return "done";
    },
  };
}

const steps = () => scriptedModel([["One."], [{ call: "meanwhile" }], ["Two."], ["Three."]]);

describe("a run", () => {
  it("stays on its branch when another one is checked out", async () => {
    await using store = await openStore("ephemeral:");
    const model = steps();
    const tools = [
      meanwhile(async (chat) => {
        const [first] = (await chat.messages()).items;
        await chat.branch(first?.id ?? null, { name: "side", checkout: true });
        await chat.append({ role: "user", content: "elsewhere" });
      }),
    ];
    const loop = new AgentLoop({ store, key: KEY, model, tools });
    const chat = await loop.conversation();
    await loop.run("Hi");
    const result = await loop.run("Go");
    expect([result.reply, result.branch]).toEqual(["Two.", "main"]);
    expect(await said(chat, "main")).toEqual([
      ...["user: Hi", "assistant: One.", "user: Go", "assistant: ", "user: done", "assistant: Two."],
    ]);
    expect(await said(chat, "side")).toEqual(["user: Hi", "user: elsewhere"]);
    const asked = JSON.stringify(model.requests[2]?.messages);
    expect(asked).toContain("tool_result");
    expect(asked).not.toContain("elsewhere");
    // The next message goes to the branch that is checked out now.
    expect((await loop.run("And?")).branch).toBe("side");
    expect((await said(chat, "side")).slice(2)).toEqual(["user: And?", "assistant: Three."]);
  });

  it("continues on its branch after a kill, although another one is checked out", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open(KEY);
    const turn = await chat.beginTurn({ operationId: "m1" });
    await turn.add({ role: "user", content: "Go" });
    await turn.add({
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "meanwhile", input: {} }],
    });
    await turn.finish("interrupted");
    await chat.branch(null, { name: "side", checkout: true });
    await chat.append({ role: "user", content: "elsewhere" });
    const loop = new AgentLoop({
      store,
      key: KEY,
      model: scriptedModel([["Done."]]),
      tools: [meanwhile(async () => {})],
    });
    const result = await loop.run("Go", { operationId: "m1" });
    expect([result.reply, result.branch]).toEqual(["Done.", "main"]);
    expect(await said(chat, "main")).toEqual(["user: Go", "assistant: ", "user: done", "assistant: Done."]);
    expect(await said(chat, "side")).toEqual(["user: elsewhere"]);
  });

  it("survives a compaction by another process between a call and its result", async () => {
    await using store = await openStore("ephemeral:");
    const model = steps();
    const tools = [
      meanwhile((chat) => chat.compact({ summarize: async () => "They greeted.", keepTokens: 1 })),
    ];
    const loop = new AgentLoop({ store, key: KEY, model, tools });
    const chat = await loop.conversation();
    await loop.run("Hi");
    expect((await loop.run("Go")).reply).toBe("Two.");
    expect(await chat.compactions()).toHaveLength(1);
    const { messages = [] } = model.requests[2] ?? {};
    const sent = JSON.stringify(messages);
    expect(sent.match(/"tool_use"/g)?.length).toBe(sent.match(/"tool_result"/g)?.length);
    expect(sent).toContain("Go");
    expect((await chat.context({ maxTokens: 100_000 })).ledger.repaired).toEqual([]);
    expect((await loop.run("More")).reply).toBe("Three.");
  });

  it("ends on what is left when its branch is pruned", async () => {
    await using store = await openStore("ephemeral:");
    const loop = new AgentLoop({
      ...{ store, key: KEY, model: steps() },
      tools: [
        meanwhile(async (chat) => {
          await chat.checkout("main");
          await chat.pruneBranches({ names: ["side"] });
        }),
      ],
    });
    const chat = await loop.conversation();
    await loop.run("Hi");
    await chat.branch(null, { name: "side", checkout: true });
    await expect(loop.run("Go")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await said(chat)).toEqual(["user: Hi", "assistant: One."]);
    expect((await loop.run("More")).reply).toBe("Two.");
  });
});
