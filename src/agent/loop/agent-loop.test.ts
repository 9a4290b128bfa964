import { describe, expect, it } from "vitest";
import { type Piece, scriptedModel } from "../../../test/support/models/scripted-model.ts";
import { unavailable } from "../../errors.ts";
import { textOf } from "../../message/text.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { Tool } from "../tools/tool.ts";
import { AgentLoop } from "./agent-loop.ts";
import type { AgentEvent } from "./events.ts";
import { sessionUsage } from "./record-session.ts";
import { usageOf } from "./usage.ts";

const echo: Tool = {
  name: "echo",
  description: "Say it again",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  run: ({ text }) => `heard ${text}`,
};

async function said(chat: Conversation): Promise<string[]> {
  const { items } = await chat.messages();
  return items.map(({ message }) => `${message.role}: ${textOf(message, { toolResults: true })}`);
}

async function repairs(chat: Conversation): Promise<unknown[]> {
  return [...(await chat.context({ maxTokens: 100_000 })).ledger.repaired];
}

describe("a run", () => {
  it("stores the message, streams the answer and returns it", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    let storedBefore: string[] = [];
    const look: Piece = async () => {
      storedBefore = await said(chat);
    };
    const model = scriptedModel([[look, "Hello ", "there."]]);
    const loop = new AgentLoop({ store, key: "cli:default", model, system: () => "Be kind." });
    let streamed = "";
    const result = await loop.run("Hi", { onDelta: (text) => (streamed += text) });
    expect(storedBefore).toEqual(["user: Hi"]);
    expect(streamed).toBe("Hello there.");
    expect(result).toEqual({
      key: "cli:default",
      conversation: chat.id,
      branch: "main",
      model: "test/scripted",
      reply: "Hello there.",
      entries: (await chat.messages()).items.map(({ id }) => id),
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 1, cost: 0.5 },
      stopReason: "end",
    });
    expect(model.requests[0]).toMatchObject({
      system: "Be kind.",
      messages: [{ role: "user", content: "Hi" }],
    });
    expect(await said(chat)).toEqual(["user: Hi", "assistant: Hello there."]);
    expect(JSON.stringify((await chat.entries({ all: true })).items)).not.toContain("Be kind");
  });

  it("works without a store, and remembers what was said before", async () => {
    const model = scriptedModel([["One."], ["Two."]]);
    await using loop = new AgentLoop({ model });
    await loop.run("first");
    expect((await loop.run([{ type: "text", text: "second" }])).reply).toBe("Two.");
    expect(model.requests[1]?.messages.length).toBe(3);
  });

  it("follows its key to the conversation that has it now", async () => {
    await using store = await openStore("ephemeral:");
    const model = scriptedModel([["One."], ["Two."], ["Three."]]);
    const loop = new AgentLoop({ store, key: "cli:default", model });
    const first = await loop.run("first");
    const fresh = await store.startOver("cli:default");
    expect((await loop.run("second")).conversation).toBe(fresh.id);
    expect(await said(fresh)).toEqual(["user: second", "assistant: Two."]);
    await store.delete(fresh.id);
    const third = await loop.run("third");
    expect([first.conversation, fresh.id]).not.toContain(third.conversation);
    expect(third.key).toBe("cli:default");
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  });

  it("asks for the tools of each run, if they are a function", async () => {
    const model = scriptedModel([["One."], [{ call: "later", input: { text: "b" } }], ["Two."]]);
    const tools = [echo];
    await using loop = new AgentLoop({ model, tools: async () => tools });
    await loop.run("first");
    tools.push({ ...echo, name: "later" });
    expect((await loop.run("second")).reply).toBe("Two.");
    expect(model.requests.map((request) => request.tools?.length)).toEqual([1, 2, 2]);
    expect(await said(await loop.conversation())).toContain("user: heard b");
  });

  it("runs tools in order, each with its result stored at once, and sums the usage", async () => {
    const seen: number[] = [];
    const model = scriptedModel([
      ["Let me look. ", { call: "count" }, { call: "echo", input: { text: "b" } }],
      ["Done."],
    ]);
    const loop = new AgentLoop({
      model,
      tools: [echo, { ...echo, name: "count", inputSchema: { type: "object" }, run }],
    });
    const chat = await loop.conversation();
    async function run(): Promise<string> {
      seen.push((await said(chat)).length);
      return "2 messages";
    }
    const events: AgentEvent[] = [];
    const result = await loop.run("Look", { onEvent: (event) => events.push(event) });
    expect(seen).toEqual([2]);
    expect(await said(chat)).toEqual([
      "user: Look",
      "assistant: Let me look. ",
      "user: 2 messages",
      "user: heard b",
      "assistant: Done.",
    ]);
    expect(result.usage).toMatchObject({ inputTokens: 20, cost: 1 });
    expect(await usageOf(chat)).toEqual(result.usage);
    expect(await sessionUsage(chat)).toEqual({
      ...{ inputTokens: 20, outputTokens: 10, totalTokens: 36, cacheRead: 4, cacheWrite: 2, cost: 1 },
      ...{ model: "scripted", modelProvider: "test", usageThrough: result.entries.at(-1) },
    });
    expect(await repairs(chat)).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual([
      ...["step", "text", "tool-start", "tool-end", "tool-start", "tool-end", "step", "text", "done"],
    ]);
  });

  it("turns whatever is wrong with a call into its result", async () => {
    const model = scriptedModel([
      [
        { call: "nothing" },
        { call: "echo", input: { text: 1 } },
        { call: "throws" },
        { call: "hangs" },
        { call: "floods" },
        { call: "odd" },
      ],
      ["Oh."],
    ]);
    const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
      ...echo,
      ...{ name, run, inputSchema: { type: "object" }, ...more },
    });
    const tools = [
      echo,
      tool("throws", () => {
        throw new Error("no such file");
      }),
      tool("hangs", () => new Promise<string>(() => {}), { timeoutMs: 20 }),
      tool("floods", () => "x".repeat(50_000_000)),
      tool("odd", () => [new Date()] as never),
    ];
    const loop = new AgentLoop({ model, tools, toolOutputMax: 1000 });
    expect((await loop.run("Try")).reply).toBe("Oh.");
    const results = (await said(await loop.conversation())).slice(2, -1);
    const flood = results.splice(4, 1)[0] as string;
    expect(results).toEqual([
      "user: There is no tool called nothing. The tools are echo, throws, hangs, floods, odd.",
      "user: text must be a string",
      "user: no such file",
      "user: The tool hangs did not finish within 0.02 s and was aborted.",
      "user: output[0] is an instance of Date, which JSON cannot hold",
    ]);
    expect(flood).toMatch(/x\n\[… 49999000 of 50000000 characters were cut here …\]\nx/);
    expect(flood.length).toBeLessThan(1100);
    const messages = (await (await loop.conversation()).messages()).items;
    const wrong = messages.filter(({ message }) =>
      JSON.stringify(message.content).includes('"is_error":true'),
    );
    expect(wrong.length).toBe(5);
    expect(await repairs(await loop.conversation())).toEqual([]);
  });

  it("survives a tool that throws what cannot be shown", async () => {
    const thrown = [null, Object.create(null), Object.assign(new Error(), { message: 5 })];
    const model = scriptedModel([thrown.map((_, at) => ({ call: `t${at}` })), ["Oh."]]);
    const tools = thrown.map((error, at): Tool => {
      const run = (): never => {
        throw error;
      };
      return { ...echo, name: `t${at}`, inputSchema: { type: "object" }, run };
    });
    const loop = new AgentLoop({ model, tools });
    expect((await loop.run("Try")).reply).toBe("Oh.");
    const results = (await said(await loop.conversation())).slice(2, -1);
    expect(results).toEqual(["user: null", "user: The tool failed without saying why.", "user: 5"]);
  });

  it("ends after the last step with a sentence, and continues in the next run", async () => {
    const model = scriptedModel((_, index) =>
      index < 3 ? [{ call: "echo", input: { text: "x" } }] : ["Here."],
    );
    const loop = new AgentLoop({ model, tools: [echo], maxSteps: 3 });
    const result = await loop.run("Go");
    expect([result.stopReason, result.reply]).toEqual([
      "max_steps",
      "I stopped after 3 steps without an answer. Tell me to continue if I should.",
    ]);
    expect((await loop.run("Continue")).reply).toBe("Here.");
  });

  it("refuses a tool that asks for a run of its own conversation, at once", async () => {
    const model = scriptedModel([[{ call: "self" }], ["Fine."]]);
    const self: Tool = {
      ...echo,
      name: "self",
      inputSchema: { type: "object" },
      run: async () => (await loop.run("again")).reply,
    };
    const loop = new AgentLoop({ model, tools: [self] });
    expect((await loop.run("Go")).reply).toBe("Fine.");
    expect((await said(await loop.conversation()))[2]).toMatch(
      /waits for the tool that asks for another run/,
    );
  });

  it("answers one message after the other", async () => {
    await using store = await openStore("ephemeral:");
    const model = scriptedModel(({ messages }) => [
      `You said ${textOf(messages.at(-1) ?? { content: "" })}.`,
    ]);
    const loops = [1, 2].map(() => new AgentLoop({ store, key: "cli:default", model }));
    const numbers = [0, 1, 2, 3, 4, 5];
    await Promise.all(numbers.map((n) => loops[n % 2]?.run(`${n}`)));
    const chat = await store.open("cli:default");
    const lines = await said(chat);
    expect(lines.filter((_, index) => index % 2 === 0).toSorted()).toEqual(numbers.map((n) => `user: ${n}`));
    for (const n of numbers) expect(lines[lines.indexOf(`user: ${n}`) + 1]).toBe(`assistant: You said ${n}.`);
  });
});

describe("a run that is stopped", () => {
  it("keeps what was streamed, even if the model ignores the signal", async () => {
    const stop = new AbortController();
    const model = scriptedModel([["Once upon", () => new Promise(() => {})], ["Sure."]]);
    const loop = new AgentLoop({ model });
    const result = await loop.run("Tell", { signal: stop.signal, onDelta: () => stop.abort() });
    expect([result.stopReason, result.reply]).toEqual(["stopped", "Once upon"]);
    const chat = await loop.conversation();
    expect((await chat.messages()).items.at(-1)?.message.endState).toBe("stopped");
    expect((await loop.run("Go on")).reply).toBe("Sure.");
  });

  it("completes the pairs of its tools", async () => {
    const stop = new AbortController();
    const hangs: Tool = {
      ...echo,
      run: () => {
        stop.abort();
        return new Promise<string>(() => {});
      },
    };
    const model = scriptedModel([
      [
        { call: "echo", input: { text: "a" } },
        { call: "echo", input: { text: "b" } },
      ],
      ["After."],
    ]);
    const loop = new AgentLoop({ model, tools: [hangs] });
    const result = await loop.run("Go", { signal: stop.signal });
    expect(result.stopReason).toBe("stopped");
    const chat = await loop.conversation();
    expect((await said(chat)).slice(2)).toEqual(["user: Stopped by the user.", "user: Stopped by the user."]);
    expect((await loop.run("And?")).reply).toBe("After.");
    expect(await repairs(chat)).toEqual([]);
  });

  it("writes nothing if its turn has not come", async () => {
    const stop = new AbortController();
    const model = scriptedModel([["A.", async () => stop.abort()], ["B."]]);
    const loop = new AgentLoop({ model });
    const [first, second] = await Promise.all([loop.run("a"), loop.run("b", { signal: stop.signal })]);
    expect([first?.reply, second?.stopReason, second?.entries]).toEqual(["A.", "stopped", []]);
  });
});

describe("a model that fails", () => {
  it("leaves the message, the error in the log and the partial answer, and the next run continues", async () => {
    const model = scriptedModel([
      [unavailable("The provider is overloaded. Ask again")],
      ["Half an ans", unavailable("The stream was cut. Ask again")],
      ["Whole."],
    ]);
    const loop = new AgentLoop({ model });
    await expect(loop.run("One")).rejects.toThrow("The provider is overloaded. Ask again");
    await expect(loop.run("Two")).rejects.toThrow("The stream was cut");
    expect((await loop.run("Three")).reply).toBe("Whole.");
    const chat = await loop.conversation();
    const records = (await chat.entries()).items.filter(({ kind }) => kind === "custom");
    expect(records[0]?.data).toMatchObject({
      type: "run-failed",
      code: "SERVICE_UNAVAILABLE",
      model: "test/scripted",
    });
    expect((await said(chat)).filter((line) => line.startsWith("assistant"))).toEqual([
      "assistant: Half an ans",
      "assistant: Whole.",
    ]);
  });

  it("is answered once when the run is tried again under its id", async () => {
    const model = scriptedModel([["Half", unavailable("cut")], ["Whole."], ["Never."]]);
    const loop = new AgentLoop({ model });
    await expect(loop.run("Hi", { operationId: "m1" })).rejects.toThrow("cut");
    const result = await loop.run("Hi", { operationId: "m1" });
    expect(result.reply).toBe("Whole.");
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/cut off before its end/);
    expect(await loop.run("Hi", { operationId: "m1" })).toEqual(result);
    expect(model.requests.length).toBe(2);
    expect(await said(await loop.conversation())).toEqual([
      "user: Hi",
      "assistant: Half",
      "assistant: Whole.",
    ]);
    await expect(loop.run("Other", { operationId: "m2~2" })).rejects.toThrow("Invalid operation id");
  });

  it("is given up when it is silent for too long", async () => {
    const loop = new AgentLoop({
      model: scriptedModel([["So", () => new Promise(() => {})]]),
      stallTimeoutMs: 30,
    });
    await expect(loop.run("Hi")).rejects.toThrow("test/scripted sent nothing for 0.03 s");
    expect(await said(await loop.conversation())).toEqual(["user: Hi", "assistant: So"]);
  });

  it("answers a message that the conversation has, once, whatever came after it", async () => {
    await using store = await openStore("ephemeral:");
    const chat = await store.open("cli:default");
    for (const id of ["m:1", "m:2"]) await chat.append({ id, role: "user", content: `Question ${id}` });
    const model = scriptedModel([["First."], ["Second."]]);
    const loop = new AgentLoop({ store, key: "cli:default", model });
    expect((await loop.answer("m:1")).reply).toBe("First.");
    expect((await loop.answer("m:2")).reply).toBe("Second.");
    expect((await loop.answer("m:1")).reply).toBe("First.");
    expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "Question m:2" });
    expect(await said(chat)).toEqual([
      "user: Question m:1",
      "user: Question m:2",
      "assistant: First.",
      "assistant: Second.",
    ]);
    await expect(loop.answer("m:3")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("is resumed without the message", async () => {
    const model = scriptedModel([[unavailable("down")], ["Up again."]]);
    const loop = new AgentLoop({ model });
    expect(await loop.resume()).toBeUndefined();
    await expect(loop.run("Hi", { operationId: "m1" })).rejects.toThrow("down");
    const result = await loop.resume();
    expect(result?.reply).toBe("Up again.");
    expect(await loop.run("Hi", { operationId: "m1" })).toEqual(result);
    expect(await loop.resume()).toBeUndefined();
  });
});

describe("a conversation that is nearly too long", () => {
  it("is compacted, which is announced", async () => {
    const model = scriptedModel(
      ({ system }) => (system?.startsWith("You write the memory") ? ["They count."] : ["ok ".repeat(300)]),
      4000,
    );
    const loop = new AgentLoop({ model });
    const events: AgentEvent[] = [];
    for (let n = 0; n < 12; n++) {
      await loop.run(`${n} `.repeat(200), { onEvent: (event) => events.push(event) });
    }
    const states = events.flatMap((event) => (event.type === "compaction" ? event.state : []));
    expect(states.slice(0, 2)).toEqual(["started", "done"]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("They count.");
    expect((await (await loop.conversation()).info()).compactionCount).toBeGreaterThan(0);
  });

  it.each<readonly [string, Piece]>([
    ["fails", new Error("no")],
    ["hangs", () => new Promise(() => {})],
  ])("is answered even if the summary %s", async (_, fault) => {
    const model = scriptedModel(
      ({ system }) => (system?.startsWith("You write the memory") ? [fault] : ["ok ".repeat(300)]),
      4000,
    );
    const loop = new AgentLoop({ model, stallTimeoutMs: 300 });
    const states: string[] = [];
    for (let n = 0; n < 12; n++) {
      const result = await loop.run(`${n} `.repeat(200), {
        onEvent: (event) => event.type === "compaction" && states.push(event.state),
      });
      expect(result.stopReason).toBe("end");
    }
    expect(states).toContain("failed");
  });
});
