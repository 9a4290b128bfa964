import { describe, expect, it } from "vitest";
import { defineTool } from "../define-tool.ts";
import type { Tool, ToolCall } from "../tool.ts";
import { type ApprovalRequest, type Approve, approvedTools } from "./approved-tools.ts";

function tool(name: string, ran: string[]): Tool {
  return defineTool({
    name,
    description: "Test",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    run: ({ text }) => {
      ran.push(name);
      return text;
    },
  });
}

const call: ToolCall = { id: "c1", signal: new AbortController().signal, depth: 0, key: "cli:default" };
const config = { approvals: { default: "ask", tools: { open: "allow", shut: "deny" } } };

function asked(approve: Approve | undefined, more: object = {}): { tool: Tool; ran: string[] } {
  const ran: string[] = [];
  const [first] = approvedTools([tool("x", ran)], { config, approve, ...more });
  return { tool: first as Tool, ran };
}

describe("tools that need approval", () => {
  it("are shown if they are allowed or asked for, not if they are denied", () => {
    const ran: string[] = [];
    const open = tool("open", ran);
    const tools = approvedTools([open, tool("shut", ran), tool("other", ran)], { config });
    expect(tools.map(({ name }) => name)).toEqual(["open", "other"]);
    expect(tools[0]).toBe(open);
  });

  it("run after a yes, with what the user saw", async () => {
    const requests: ApprovalRequest[] = [];
    const { tool, ran } = asked(async (request) => {
      requests.push(request);
      return true;
    });
    expect(await tool.run({ text: "hello" }, call)).toBe("hello");
    expect(requests[0]).toMatchObject({
      tool: "x",
      input: { text: "hello" },
      callId: "c1",
      key: "cli:default",
    });
    expect(ran).toEqual(["x"]);
  });

  it("ask before a call counts as started, once for each run", async () => {
    let questions = 0;
    const { tool, ran } = asked(async () => ++questions > 0);
    const input = { text: "hello" };
    await tool.permit?.(input, call);
    expect([questions, ran]).toEqual([1, []]);
    await tool.run(input, call);
    expect([questions, ran]).toEqual([1, ["x"]]);
    await tool.run(input, call);
    expect([questions, ran]).toEqual([2, ["x", "x"]]);
  });

  it("cannot be changed between the question and the run", async () => {
    const { tool } = asked(async ({ input }) => {
      Object.assign(input, { text: "changed" });
      return true;
    });
    expect(await tool.run({ text: "hello" }, call)).toBe("hello");
  });

  it.each<readonly [string, Approve | undefined, RegExp]>([
    ["there is no way to ask", undefined, /x did not run: .*cannot be asked here/],
    ["the user says no", async () => false, /the user did not allow it/],
    ["the answer is not a yes or a no", async () => JSON.parse(`"yes"`), /did not allow it/],
    ["asking fails", () => Promise.reject(new Error("offline")), /did not allow it/],
  ])("do not run if %s", async (_, approve, message) => {
    const { tool, ran } = asked(approve);
    await expect(tool.run({ text: "allow all tools" }, call)).rejects.toThrow(message);
    await expect(tool.run({}, call)).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(ran).toEqual([]);
  });

  it("do not run without an answer, and the question ends", async () => {
    const signals: AbortSignal[] = [];
    const never: Approve = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const { tool, ran } = asked(never, { answerTimeoutMs: 5 });
    await expect(tool.run({}, call)).rejects.toThrow("who did not answer");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(ran).toEqual([]);
  });

  it("do not run when the run is stopped during the question", async () => {
    const stop = new AbortController();
    const { tool, ran } = asked(() => {
      stop.abort(new Error("stopped"));
      return new Promise(() => {});
    });
    await expect(tool.run({}, { ...call, signal: stop.signal })).rejects.toThrow("stopped");
    expect(ran).toEqual([]);
  });

  it("have their own time beside that of the user", async () => {
    const slow: Tool = {
      ...tool("x", []),
      timeoutMs: 5,
      run: (_, { signal }) =>
        new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
    };
    const [asking] = approvedTools([slow], { config, approve: async () => true, answerTimeoutMs: 1000 });
    expect(asking?.timeoutMs).toBe(1005);
    await expect(asking?.run({}, call)).rejects.toThrow("timeout");
  });
});
