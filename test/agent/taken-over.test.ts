/** A process that is frozen for so long that its lease expires: another one answers, and its late writes are refused. */
import { describe, expect, it, vi } from "vitest";
import { AgentLoop, type Tool } from "../../src/agent/index.ts";
import { type Conversation, openStore, type Store } from "../../src/index.ts";
import { textOf } from "../../src/message/index.ts";
import { newDisk, open } from "../sim/jsonl-kit.ts";
import { scriptedModel } from "../support/models/scripted-model.ts";

/** More than the lifetime of a lease. */
const FROZEN_MS = 31_000;
const KEY = "cli:default";

async function said(chat: Conversation): Promise<string[]> {
  const { items } = await chat.messages();
  expect((await chat.context({ maxTokens: 100_000 })).ledger.repaired).toEqual([]);
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

/** Two processes with one store, on one machine whose clock a test moves. */
async function processes(): Promise<{
  one: Store;
  two: Store;
  freeze: () => void;
  journalled: (text: string) => Promise<void>;
}> {
  const disk = newDisk();
  const { engine } = await open(disk);
  const [one, two] = [await openStore((await open(disk)).engine), await openStore(engine)];
  const journalled = async (text: string): Promise<void> => {
    const { id = "" } = (await engine.byKey(KEY)) ?? {};
    await vi.waitFor(async () => expect((await engine.turn(id, 0))?.text).toBe(text));
  };
  const freeze = (): void => {
    disk.upMs += FROZEN_MS;
  };
  return { one, two, freeze, journalled };
}

describe.each(["m1", undefined])("an agent that was frozen, with the operation id %s", (operationId) => {
  it("while the model spoke, returns the answer that another process gave", async () => {
    const { one, two, freeze, journalled } = await processes();
    const reached = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const wait = (): Promise<void> => {
      reached.resolve();
      return thawed.promise;
    };
    const late = scriptedModel([["Half ", wait, "an answer."], ["Late."]]);
    const frozen = new AgentLoop({ store: one, key: KEY, model: late });
    const running = frozen.run("Hi", operationId === undefined ? {} : { operationId });
    await reached.promise;
    await journalled("Half ");
    freeze();
    const other = new AgentLoop({ store: two, key: KEY, model: scriptedModel([["Whole."]]) });
    const answer = operationId === undefined ? await other.resume() : await other.run("Hi", { operationId });
    expect(answer?.reply).toBe("Whole.");
    thawed.resolve();
    expect((await running).reply).toBe("Whole.");
    expect(late.requests.length).toBe(1);
    const chat = await other.conversation();
    expect(await said(chat)).toEqual(["user: Hi", "assistant: Half ", "assistant: Whole."]);
    const records = (await chat.entries({ all: true })).items.filter(({ kind }) => kind === "custom");
    expect(records).toEqual([]);
  });

  it("while a tool ran, runs neither that tool nor the next one again", async () => {
    const { one, two, freeze } = await processes();
    const reached = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();
    const runs: string[] = [];
    const pay = (of: string): Tool => ({
      ...{ name: "pay", description: "Pays", inputSchema: { type: "object" } },
      async run(_, { id }) {
        runs.push(`${of} ${id}`);
        reached.resolve();
        if (of === "one") await thawed.promise;
        return "paid";
      },
    });
    const twice = [{ call: "pay" }, { call: "pay" }];
    const model = scriptedModel([twice, ["Never."]]);
    const frozen = new AgentLoop({ store: one, key: KEY, model, tools: [pay("one")] });
    const running = frozen.run("Pay", operationId === undefined ? {} : { operationId });
    await reached.promise;
    freeze();
    const done = scriptedModel([["Done."]]);
    const other = new AgentLoop({ store: two, key: KEY, model: done, tools: [pay("two")] });
    if (operationId === undefined) await other.resume();
    else await other.run("Pay", { operationId });
    thawed.resolve();
    expect((await running).reply).toBe("Done.");
    expect(runs.length).toBe(2);
    expect(new Set(runs.map((run) => run.split(" ")[1])).size).toBe(2);
    const lines = await said(await other.conversation());
    expect(lines[2]).toMatch(/not known whether it finished/);
    expect(lines.slice(3)).toEqual(["user: paid", "assistant: Done."]);
  });
});

it("an agent that was frozen and lost its place answers its message after the one that took over", async () => {
  const { one, two, freeze } = await processes();
  const reached = Promise.withResolvers<void>();
  const thawed = Promise.withResolvers<void>();
  const wait = (): Promise<void> => {
    reached.resolve();
    return thawed.promise;
  };
  const frozen = new AgentLoop({ store: one, key: KEY, model: scriptedModel([[wait, "Lost."], ["First."]]) });
  const running = frozen.run("One", { operationId: "m1" });
  await reached.promise;
  freeze();
  const other = new AgentLoop({ store: two, key: KEY, model: scriptedModel([["Second."]]) });
  expect((await other.run("Two", { operationId: "m2" })).reply).toBe("Second.");
  thawed.resolve();
  expect((await running).reply).toBe("First.");
  expect(await said(await other.conversation())).toEqual([
    ...["user: One", "user: Two", "assistant: Second.", "assistant: First."],
  ]);
});
