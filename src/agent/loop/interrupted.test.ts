import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../test/support/models/scripted-model.ts";
import { textOf } from "../../message/text.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { ChatModel } from "../model/chat-model.ts";
import type { Tool } from "../tools/tool.ts";
import { AgentLoop } from "./agent-loop.ts";
import { NO_USAGE } from "./usage.ts";

/** A tool that counts its runs. */
function counting(name: string, mayRepeat: boolean): Tool & { runs: number } {
  const inputSchema = { type: "object" };
  return {
    ...{ name, description: "Counts", inputSchema, mayRepeat, runs: 0 },
    run() {
      this.runs++;
      return `${name} ran`;
    },
  };
}

/** What a process leaves that was killed while the first of two tools ran. */
async function killed(chat: Conversation, name: string): Promise<void> {
  const turn = await chat.beginTurn({ operationId: "m1" });
  await turn.add({ role: "user", content: "Go" });
  const calls = ["a", "b"].map((id) => ({ type: "tool_use", id, name, input: {} }));
  await turn.add({ role: "assistant", content: calls });
  await turn.note({ tool: "a" });
  await turn.finish("interrupted");
}

async function results(chat: Conversation): Promise<string[]> {
  expect((await chat.context({ maxTokens: 100_000 })).ledger.repaired).toEqual([]);
  const { items } = await chat.messages();
  return items.slice(2).map(({ message }) => textOf(message, { toolResults: true }));
}

describe("a run that was interrupted while a tool ran", () => {
  it("does not run that tool again, but runs the next one", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    const tool = counting("pay", false);
    const loop = new AgentLoop({
      store,
      key: "cli:default",
      model: scriptedModel([["Paid."]]),
      tools: [tool],
    });
    await killed(chat, "pay");
    expect((await loop.run("Go", { operationId: "m1" })).reply).toBe("Paid.");
    expect(tool.runs).toBe(1);
    const [first, ...rest] = await results(chat);
    expect(first).toMatch(/not known whether it finished/);
    expect(rest).toEqual(["pay ran", "Paid."]);
  });

  it("runs a new call whose id an interrupted one had", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    const tool = counting("pay", false);
    const model: ChatModel = {
      ...{ name: "test/ids", contextWindow: 100_000 },
      async *stream({ messages }) {
        const again = [{ type: "tool_use", id: "a", name: "pay", input: {} }];
        const isLast = messages.length > 4;
        const content = isLast ? [{ type: "text", text: "Paid." }] : again;
        const stopReason = isLast ? "end" : "tool_use";
        yield { type: "end", content, stopReason, usage: NO_USAGE, model: "test/ids" };
      },
    };
    const loop = new AgentLoop({ store, key: "cli:default", model, tools: [tool] });
    await killed(chat, "pay");
    expect((await loop.run("Go", { operationId: "m1" })).reply).toBe("Paid.");
    expect(tool.runs).toBe(2);
  });

  it("runs a tool again that may be repeated", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    const tool = counting("look", true);
    const loop = new AgentLoop({
      store,
      key: "cli:default",
      model: scriptedModel([["Seen."]]),
      tools: [tool],
    });
    await killed(chat, "look");
    expect((await loop.resume())?.reply).toBe("Seen.");
    expect(tool.runs).toBe(2);
    expect(await results(chat)).toEqual(["look ran", "look ran", "Seen."]);
    expect((await loop.run("Go", { operationId: "m1" })).reply).toBe("Seen.");
    await expect(loop.run("Stop", { operationId: "m1" })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("leaves no call without a result when another message comes first", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    const tool = counting("pay", false);
    const model = scriptedModel([["To you too."], ["It failed."]]);
    const loop = new AgentLoop({ store, key: "cli:default", model, tools: [tool] });
    await killed(chat, "pay");
    expect((await loop.run("Good morning")).reply).toBe("To you too.");
    expect((await loop.run("Go", { operationId: "m1" })).reply).toBe("It failed.");
    expect(tool.runs).toBe(0);
    expect((await results(chat)).slice(1)).toEqual(["Good morning", "To you too.", "It failed."]);
  });
});

it("a message that no run wrote is resumed under its id, whatever its operation id looks like", async () => {
  await using store = await openStore("ephemeral:");
  const chat = await store.open("cli:default");
  const model = scriptedModel([["One."], ["Two."]]);
  const loop = new AgentLoop({ store, key: "cli:default", model });
  for (const number of [1, 2]) {
    const message = { role: "user", content: `${number}`, id: `m:${number}` } as const;
    await chat.append(message, { operationId: `discord/${number}` });
    expect((await loop.resume())?.reply).toBe(number === 1 ? "One." : "Two.");
  }
  expect((await loop.answer("m:2")).reply).toBe("Two.");
  expect(model.requests.length).toBe(2);
});
