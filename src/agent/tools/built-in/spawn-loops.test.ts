import { describe, expect, it } from "vitest";
import { type ScriptedModel, scriptedModel } from "../../../../test/support/models/scripted-model.ts";
import { unavailable } from "../../../errors.ts";
import { textOf } from "../../../message/text.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";
import type { SpawnLimits } from "../../agents/agent-definition.ts";
import { AgentLoop } from "../../loop/agent-loop.ts";
import type { ChatModel } from "../../model/chat-model.ts";
import type { Tool } from "../tool.ts";
import { type SpawnedSession, spawnLoops } from "./spawn-loops.ts";
import { startAgent } from "./start-agent.ts";

interface Family {
  readonly loop: AgentLoop;
  readonly sessions: SpawnedSession[];
  readonly tool: Tool;
}

/** A loop whose sub-agents can start sub-agents too. */
function family(
  store: Store,
  parent: ChatModel,
  child: ChatModel,
  limits: Partial<SpawnLimits> = {},
): Family {
  const sessions: SpawnedSession[] = [];
  const spawn = spawnLoops({
    loopOf: () => ({ store, model: child, tools: [tool], maxSteps: 4 }),
    onSession: (session) => void sessions.push(session),
  });
  const tool: Tool = startAgent({ spawn, limits });
  return { loop: new AgentLoop({ store, key: "cli:default", model: parent, tools: [tool] }), sessions, tool };
}

async function said(store: Store, key: string): Promise<string[]> {
  const { items } = (await (await store.get(key))?.messages()) ?? { items: [] };
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

const asks = (task: string): ScriptedModel =>
  scriptedModel([[{ call: "start_agent", input: { task } }], ["The answer is 42."]]);

describe("sub-agents as loops", () => {
  it("have a conversation of their own, and their answer is the result of the tool", async () => {
    await using store = await openStore("ephemeral:");
    const { loop, sessions } = family(store, asks("Count the ships"), scriptedModel([["42 ships."]]));
    expect((await loop.run("How many?")).reply).toBe("The answer is 42.");
    expect(await said(store, "cli:default")).toEqual([
      "user: How many?",
      "assistant: ",
      "user: 42 ships.",
      "assistant: The answer is 42.",
    ]);
    const [session] = sessions;
    expect(session).toMatchObject({ spawnedBy: "cli:default", spawnDepth: 1 });
    expect(await said(store, session?.key ?? "")).toEqual(["user: Count the ships", "assistant: 42 ships."]);
    const chat = await store.get(session?.conversation.id ?? "");
    const { items } = (await chat?.messages()) ?? { items: [] };
    expect(items[0]?.message.provenance).toEqual({ spawnedBy: "cli:default", spawnDepth: 1 });
  });

  it("stop with their parent, and keep what they said", async () => {
    await using store = await openStore("ephemeral:");
    const stop = new AbortController();
    const child = scriptedModel([
      [
        "I am ",
        async (signal) => {
          stop.abort();
          await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
          signal?.throwIfAborted();
        },
        "done.",
      ],
    ]);
    const { loop, sessions } = family(store, asks("Wait"), child);
    expect(await loop.run("Go", { signal: stop.signal })).toMatchObject({ stopReason: "stopped" });
    const key = sessions[0]?.key ?? "";
    await expect.poll(() => said(store, key)).toEqual(["user: Wait", "assistant: I am "]);
    const { items } = (await (await store.get(key))?.messages()) ?? { items: [] };
    expect(items.at(-1)?.message.endState).toBe("stopped");
  });

  it("come to an end, if each starts others without end", async () => {
    await using store = await openStore("ephemeral:");
    const greedy = scriptedModel((_, index) => [
      { call: "start_agent", input: { task: `More ${index}` }, id: `c${index}` },
    ]);
    const { loop, sessions } = family(store, greedy, greedy, { perRunMax: 2 });
    expect(await loop.run("Go")).toMatchObject({ stopReason: "max_steps" });
    expect(sessions.map(({ spawnDepth }) => spawnDepth).toSorted()).toEqual(
      [1, 1, 2, 2, 2, 2].flatMap((depth) => [depth, depth]),
    );
    const told = (await said(store, "cli:default")).join("\n");
    expect(told).toContain("The sub-agent was not started: a run can start 2 of them");
    expect(await said(store, sessions[1]?.key ?? "")).toContain(
      "user: The sub-agent was not started: sub-agents can be nested 2 deep",
    );
  });

  it("return the answer that they have when a call is repeated", async () => {
    await using store = await openStore("ephemeral:");
    const child = scriptedModel([["42 ships."]]);
    const { tool } = family(store, asks("x"), child);
    const call = { id: "c1", signal: new AbortController().signal, depth: 0, key: "cli:default" };
    expect(await tool.run({ task: "Count" }, { ...call, run: {} })).toBe("42 ships.");
    expect(await tool.run({ task: "Count" }, { ...call, run: {} })).toBe("42 ships.");
    expect(child.requests).toHaveLength(1);
  });

  it("are counted also if the run that started them was interrupted", async () => {
    await using store = await openStore("ephemeral:");
    const greedy = scriptedModel((_, index) => [
      { call: "start_agent", input: { task: `Task ${index}` }, id: `call-${index}` },
      ...(index % 2 === 1 ? [unavailable("The stream was cut")] : []),
    ]);
    const { loop, sessions } = family(
      store,
      greedy,
      scriptedModel(() => ["Done."]),
      { perRunMax: 3 },
    );
    for (let attempt = 0; attempt < 8; attempt++) await loop.run("Go", { operationId: "m1" }).catch(() => {});
    expect(new Set(sessions.map(({ key }) => key)).size).toBe(3);
    expect((await said(store, "cli:default")).join("\n")).toContain("a run can start 3 of them");
  });
});
