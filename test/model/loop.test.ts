/** The loop with models of all protocols on a real server. */
import { describe, expect, it } from "vitest";
import { type AgentEvent, AgentLoop, defineTool } from "../../src/agent/index.ts";
import { modelServer } from "../support/models/model-server.ts";
import { modelOn, PROVIDERS } from "../support/models/model-target.ts";

const tools = [
  defineTool({
    name: "search",
    description: "Searches",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }) => `found ${text}`,
  }),
];

describe.each(Object.keys(PROVIDERS))("a loop with a model of %s", (api) => {
  it("calls its tools and sums the costs", async () => {
    await using server = await modelServer([
      [{ thinking: "Hm", signature: "c2ln" }, { text: "Wait. " }, { tool: "search", input: { text: "tea" } }],
      [{ text: "It is green." }],
    ]);
    await using loop = new AgentLoop({ model: modelOn(server, api, {}, { contextWindow: 100_000 }), tools });
    const { reply, usage, model } = await loop.run("Which tea?");
    expect(reply).toContain("It is green.");
    expect(usage).toMatchObject({
      inputTokens: 20,
      outputTokens: 10,
      cost: expect.closeTo(140 / 1_000_000, 12),
    });
    expect(model).toBe(`${PROVIDERS[api]?.provider}/${PROVIDERS[api]?.model}`);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("found tea");
  });

  it("keeps the first half of an answer that breaks off", async () => {
    await using server = await modelServer([
      [{ text: "Half an answer" }, { fault: "cut" }],
      [{ text: "Whole." }],
    ]);
    await using loop = new AgentLoop({ model: modelOn(server, api, {}, { contextWindow: 100_000 }), tools });
    await expect(loop.run("Which tea?")).rejects.toMatchObject({ code: "NETWORK_ERROR" });
    const { items } = await (await loop.conversation()).messages();
    expect(JSON.stringify(items)).toContain("Half an answer");
    expect((await loop.run("Go on")).reply).toBe("Whole.");
  });

  it("sends less when the provider finds the conversation too long", async () => {
    const refusal = { status: 400, message: "prompt is too long: 9000 tokens > 4000 maximum" };
    await using server = await modelServer(({ body }) =>
      JSON.stringify(body).length > 16_000 ? refusal : [{ text: "Short." }],
    );
    await using loop = new AgentLoop({ model: modelOn(server, api, {}, { contextWindow: 100_000 }) });
    const conversation = await loop.conversation();
    for (let count = 0; count < 10; count++) {
      await conversation.append({ role: "user", content: `${count} ${"many words ".repeat(300)}` });
      await conversation.append({ role: "assistant", content: "Hm." });
    }
    const states: string[] = [];
    const onEvent = (event: AgentEvent): void => {
      if (event.type === "compaction") states.push(event.state);
    };
    expect((await loop.run("Now?", { onEvent })).reply).toBe("Short.");
    expect(states.at(-1)).toBe("done");
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Now?");
  });

  it("says so when even a short conversation is too long", async () => {
    await using server = await modelServer(() => ({ status: 400, message: "prompt is too long" }));
    await using loop = new AgentLoop({ model: modelOn(server, api, {}, { contextWindow: 100_000 }) });
    await expect(loop.run("Now?")).rejects.toMatchObject({ details: { kind: "context-length" } });
    expect(server.requests.length).toBeLessThan(10);
  });
});

// Google sends arguments as an object, which is always JSON.
it.each(Object.keys(PROVIDERS).filter((api) => api !== "google-generative-ai"))(
  "a loop with a model of %s does not run a tool whose arguments are not JSON, and lets the model try again",
  async (api) => {
    await using server = await modelServer([
      [{ tool: "search", input: '{"text": "te' }],
      [{ tool: "search", input: { text: "tea" } }],
      [{ text: "Green." }],
    ]);
    await using loop = new AgentLoop({ model: modelOn(server, api, {}, { contextWindow: 100_000 }), tools });
    expect((await loop.run("Which tea?")).reply).toBe("Green.");
    const bodies = server.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies[1]).toContain("not a JSON object");
    expect(bodies[2]).toContain("found tea");
  },
);
