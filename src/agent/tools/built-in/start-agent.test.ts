import { describe, expect, it } from "vitest";
import type { Tool, ToolCall, ToolOutput } from "../tool.ts";
import { type Spawn, type SpawnRequest, type StartAgentOptions, startAgent } from "./start-agent.ts";

const call: ToolCall = {
  id: "c1",
  signal: new AbortController().signal,
  depth: 0,
  key: "discord:dm:42",
  run: {},
};

/** Sub-agents that answer with what they were asked. */
function echo(options: Partial<StartAgentOptions> = {}): { tool: Tool; requests: SpawnRequest[] } {
  const requests: SpawnRequest[] = [];
  const spawn: Spawn = async (request) => {
    requests.push(request);
    return { reply: `Done: ${request.task}`, key: request.key };
  };
  return { tool: startAgent({ spawn, ...options }), requests };
}

const never: Spawn = () => new Promise(() => {});

describe("start_agent", () => {
  it("returns the answer of a run with a conversation of its own", async () => {
    const { tool, requests } = echo();
    expect(await tool.run({ task: "count" }, call)).toBe("Done: count");
    expect(requests).toMatchObject([{ task: "count", agent: "main", spawnedBy: "discord:dm:42", depth: 1 }]);
    expect(requests[0]?.key).toMatch(/^agent:main:subagent:[0-9a-f-]{36}$/);
  });

  it("continues the same conversation when a call is repeated, and only then", async () => {
    const { tool, requests } = echo({ limits: { perRunMax: 9 } });
    await tool.run({ task: "count" }, call);
    await tool.run({ task: "count" }, { ...call, run: {} });
    await tool.run({ task: "count again" }, call);
    await tool.run({ task: "count" }, { ...call, id: "c2" });
    await tool.run({ task: "count" }, { ...call, key: "cli:default" });
    const [first, ...others] = requests.map(({ key }) => key);
    expect(others.map((key) => key === first)).toEqual([true, false, false, false]);
  });

  it("starts the agent of the session key, and others only if they are named", async () => {
    const { tool, requests } = echo({ others: ["guest"] });
    await tool.run({ task: "x" }, { ...call, key: "agent:ops:discord:dm:42" });
    await tool.run({ task: "x", agent: "guest" }, call);
    expect(requests.map(({ agent }) => agent)).toEqual(["ops", "guest"]);
    await expect(tool.run({ task: "x", agent: "ops" }, call)).rejects.toThrow("cannot start the agent ops");
    await expect(echo().tool.run({ task: "x", agent: "ops" }, call)).rejects.toMatchObject({
      code: "FORBIDDEN",
    });
  });

  it("is refused below the deepest level", async () => {
    const { tool } = echo();
    await expect(tool.run({ task: "x" }, { ...call, depth: 1 })).resolves.toBe("Done: x");
    await expect(tool.run({ task: "x" }, { ...call, depth: 2 })).rejects.toThrow("can be nested 2 deep");
    await expect(echo({ limits: { depthMax: 0 } }).tool.run({ task: "x" }, call)).rejects.toThrow(
      "nested 0 deep",
    );
  });

  it("ends, if sub-agents start sub-agents without end", async () => {
    let runs = 0;
    const refusals: string[] = [];
    // Every agent starts as many others as it can.
    const greedy: Spawn = async ({ key, depth, signal }) => {
      runs++;
      const run = {};
      for (let index = 0; index < 50; index++) {
        const child: ToolCall = { id: `c${index}`, signal, depth, key, run };
        await Promise.resolve(tool.run({ task: "more" }, child)).catch((error) =>
          refusals.push(error.message),
        );
      }
      return { reply: "", key };
    };
    const tool: Tool = startAgent({ spawn: greedy });
    expect(await tool.run({ task: "more" }, call)).toBe("The sub-agent finished without an answer");
    expect(runs).toBe(1 + 8);
    expect(new Set(refusals)).toEqual(
      new Set([
        "The sub-agent was not started: a run can start 8 of them",
        "The sub-agent was not started: sub-agents can be nested 2 deep",
      ]),
    );
  });

  it("counts each run separately, and what runs at once", async () => {
    const tool = startAgent({ spawn: never, limits: { timeoutMs: 60_000 } });
    const stop = new AbortController();
    const started: Promise<ToolOutput>[] = [];
    const start = (id: string, run: object): Promise<ToolOutput> => {
      const promise = Promise.resolve(tool.run({ task: "x" }, { ...call, id, run, signal: stop.signal }));
      started.push(promise.catch(() => "stopped"));
      return promise;
    };
    const run = {};
    for (const id of ["1", "2", "3", "4"]) start(id, run).catch(() => {});
    await expect(start("5", run)).rejects.toThrow("4 are running. Wait until one has finished");
    start("6", {}).catch(() => {});
    stop.abort();
    expect(await Promise.all(started)).toHaveLength(6);
  });

  it("stops with the run that started it", async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const spawn: Spawn = ({ signal }) => {
      signals.push(signal);
      stop.abort(new Error("stopped by the user"));
      return new Promise(() => {});
    };
    const tool = startAgent({ spawn });
    await expect(tool.run({ task: "x" }, { ...call, signal: stop.signal })).rejects.toThrow(
      "stopped by the user",
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(tool.run({ task: "x" }, { ...call, signal: stop.signal })).rejects.toThrow("stopped");
    expect(signals).toHaveLength(1);
  });

  it("stops when its time is over, and says where its conversation is", async () => {
    const tool = startAgent({ spawn: never, limits: { timeoutMs: 10 } });
    expect(tool.timeoutMs).toBe(1010);
    await expect(tool.run({ task: "x" }, call)).rejects.toThrow(
      /did not finish within 0\.01 s\. Its conversation is agent:main:subagent:/,
    );
  });

  it("reports the error of a sub-agent", async () => {
    const spawn: Spawn = async () => {
      throw new Error("The model does not answer");
    };
    await expect(startAgent({ spawn }).run({ task: "x" }, call)).rejects.toThrow("The model does not answer");
  });
});
