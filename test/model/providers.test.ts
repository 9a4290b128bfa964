import { describe, expect, it } from "vitest";
import { THINKING_LEVELS } from "../../src/agent/index.ts";
import type { Message } from "../../src/message/types.ts";
import { objectsIn } from "../../src/util/values.ts";
import { modelServer, type Step } from "../support/models/model-server.ts";
import { ask, CANARY, eventsOf, modelOn, PROVIDERS } from "../support/models/model-target.ts";

const APIS = Object.keys(PROVIDERS);
const PNG = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const SEARCH = {
  name: "search",
  description: "Searches",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
};

describe.each(APIS)("a model of %s", (api) => {
  const { provider, model } = PROVIDERS[api] ?? {};

  it("streams its thinking and its text, and says what it used and cost", async () => {
    const step: Step = {
      say: [{ thinking: "Hm", signature: "c2ln" }, { text: "Green " }, { text: "tea." }],
      usage: { input: 100, output: 20, cacheRead: 50, cacheWrite: api === "anthropic-messages" ? 10 : 0 },
    };
    await using server = await modelServer([step]);
    const { events, error } = await eventsOf(modelOn(server, api), ask("Tea?"));
    expect(error).toBeUndefined();
    const [thinking, ...rest] = events;
    expect(thinking).toEqual({ type: "thinking", text: "Hm" });
    expect(rest.slice(0, -1)).toEqual([
      { type: "text", text: "Green " },
      { type: "text", text: "tea." },
    ]);
    const written = api === "anthropic-messages" ? 10 : 0;
    expect(rest.at(-1)).toEqual({
      type: "end",
      content: [
        expect.objectContaining({ type: "thinking", thinking: "Hm" }),
        { type: "text", text: "Green tea." },
      ],
      stopReason: "end",
      usage: {
        inputTokens: 100,
        outputTokens: 20,
        cacheReadTokens: 50,
        cacheWriteTokens: written,
        cost: (100 * 2 + 20 * 10 + 50 * 0.2 + written * 2.5) / 1_000_000,
      },
      model: `${provider}/${model}`,
    });
  });

  it("calls tools, and reads their results with its own thinking", async () => {
    await using server = await modelServer([
      [
        { thinking: "Look it up", signature: "c2ln" },
        { tool: "search", input: { text: "tea" }, id: "call_1" },
        { tool: "search", input: { text: "pot" }, id: "call_2" },
      ],
      [{ text: "Green." }],
    ]);
    const chat = modelOn(server, api);
    const tools = [SEARCH];
    const first = await eventsOf(chat, ask("Which tea?", { tools }));
    const end = first.events.at(-1);
    if (end?.type !== "end") throw first.error;
    expect(end.stopReason).toBe("tool_use");
    expect(end.content.filter(({ type }) => type === "tool_use")).toEqual([
      expect.objectContaining({ id: "call_1", name: "search", input: { text: "tea" } }),
      expect.objectContaining({ id: "call_2", name: "search", input: { text: "pot" } }),
    ]);
    const results: Message = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: "Green tea" },
        {
          type: "tool_result",
          tool_use_id: "call_2",
          content: [
            { type: "text", text: "A pot" },
            { type: "image", source: PNG },
          ],
        },
      ],
    };
    const messages: Message[] = [
      { role: "user", content: "Which tea?" },
      { role: "assistant", content: end.content },
      results,
    ];
    const second = await eventsOf(chat, { messages, tools });
    expect(second.error).toBeUndefined();
    const [, { body } = { body: {} }] = server.requests;
    const sent = JSON.stringify(body);
    for (const part of ["call_1", "call_2", "Green tea", "A pot", PNG.data, "Look it up"]) {
      expect(sent).toContain(part);
    }
    if (api !== "openai-completions") expect(sent).toContain("c2ln");
    expect(body).toMatchSnapshot();
  });

  it("sees images, and is sent words for what it cannot see", async () => {
    const messages: Message[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", source: PNG },
          { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zz4=" } },
        ],
      },
    ];
    await using server = await modelServer([[{ text: "A dot" }], [{ text: "Nothing" }]]);
    await eventsOf(modelOn(server, api), { messages });
    await eventsOf(modelOn(server, api, {}, { input: ["text"] }), { messages });
    const [seeing, blind] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(seeing).toContain(PNG.data);
    expect(seeing).not.toContain("PHN2Zz4=");
    expect(seeing).toContain("[image]");
    expect(blind).not.toContain(PNG.data);
  });

  it("is not shown the sealed thinking of another provider", async () => {
    const other = api === "openai-responses" ? { provider: "google" } : { provider: "openai", id: "rs_1" };
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "private thought", signature: "foreign-seal", ...other },
          { type: "text", text: "Hi" },
        ],
      },
      { role: "user", content: "Again" },
    ];
    await using server = await modelServer([[{ text: "Hi" }]]);
    expect((await eventsOf(modelOn(server, api), { messages })).error).toBeUndefined();
    expect(JSON.stringify(server.requests)).not.toMatch(/foreign-seal|private thought/);
  });

  it("thinks as it is told", async () => {
    await using server = await modelServer(() => [{ text: "Hm" }]);
    for (const thinking of THINKING_LEVELS) {
      await eventsOf(modelOn(server, api), ask("Think", { thinking, maxOutputTokens: 4000 }));
    }
    const told = server.requests.map(({ body }) => {
      const { thinking, output_config, reasoning, reasoning_effort, generationConfig } = body;
      return JSON.stringify({ thinking, output_config, reasoning, reasoning_effort, generationConfig });
    });
    expect(Object.fromEntries(THINKING_LEVELS.map((level, index) => [level, told[index]]))).toMatchSnapshot();
  });

  it("is asked with its key, which is sent to its server only, and never again", async () => {
    await using server = await modelServer([[{ text: "Hm" }]]);
    const { events } = await eventsOf(modelOn(server, api), ask("Hm"));
    const { headers, path, body } = server.requests[0] ?? {};
    const places = Object.entries(headers ?? {}).filter(([, value]) => String(value).includes(CANARY));
    expect(places).toHaveLength(1);
    expect(JSON.stringify([path, body, events])).not.toContain(CANARY);
    expect(JSON.stringify(headers)).not.toContain("placeholder");
  });

  it("uses one connection for one answer after the other, although it ends after its last word", async () => {
    await using server = await modelServer(() => ({ say: [{ text: "Hm" }], lingerMs: 20 }), {
      keepAlive: true,
    });
    const chat = modelOn(server, api);
    for (let count = 0; count < 3; count++) {
      await eventsOf(chat, ask("Hm"));
      // The end of an answer is read when it has been returned.
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(server.requests).toHaveLength(3);
    expect(server.connections).toBeLessThan(3);
  });

  it("stops when it is told to, and ends the request", async () => {
    await using server = await modelServer([[{ text: "One" }, { fault: "hang" }]]);
    const stop = new AbortController();
    const reason = new Error("enough");
    const seen: string[] = [];
    const running = (async () => {
      for await (const event of modelOn(server, api).stream(ask("Count"), { signal: stop.signal })) {
        seen.push(event.type);
        stop.abort(reason);
      }
    })();
    await expect(running).rejects.toBe(reason);
    expect(seen).toEqual(["text"]);
  });
});

// Google sends arguments as an object, which is always JSON.
it.each(APIS.filter((api) => api !== "google-generative-ai"))(
  "a model of %s may call a tool with arguments that are not JSON, and says so",
  async (api) => {
    await using server = await modelServer([[{ tool: "search", input: '{"text": ', id: "call_1" }]]);
    const { events } = await eventsOf(modelOn(server, api), ask("Tea?", { tools: [SEARCH] }));
    expect(events.at(-1)).toMatchObject({
      type: "end",
      content: [{ type: "tool_use", name: "search", input: {}, invalid_input: '{"text": ' }],
    });
  },
);

describe("prompt caching", () => {
  it("marks the tools, the system prompt and the last messages for Anthropic", async () => {
    await using server = await modelServer([[{ text: "Hm" }]]);
    const messages: Message[] = ["one", "two", "three"].map((content, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
    }));
    await eventsOf(modelOn(server, "anthropic-messages"), {
      system: "Be kind",
      messages,
      tools: [SEARCH, { ...SEARCH, name: "last" }],
    });
    const body = server.requests[0]?.body ?? {};
    const marked = (list: unknown): boolean[] => objectsIn(list).map((one) => "cache_control" in one);
    expect(marked(body.system)).toEqual([true]);
    expect(marked(body.tools)).toEqual([false, true]);
    expect(objectsIn(body.messages).map(({ content }) => marked(content))).toEqual([[false], [true], [true]]);
  });

  it("names the conversation for OpenAI, without its words, and the same in every turn", async () => {
    await using server = await modelServer(() => [{ text: "Hm" }]);
    const chat = modelOn(server, "openai-responses");
    const first: Message = { role: "user", content: "secret plan" };
    await eventsOf(chat, { messages: [first] });
    await eventsOf(chat, {
      messages: [first, { role: "assistant", content: "Hm" }, { role: "user", content: "more" }],
    });
    await eventsOf(chat, { messages: [{ role: "user", content: "another" }] });
    const keys = server.requests.map(({ body }) => body.prompt_cache_key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
    expect(server.requests[0]?.body.store).toBe(false);
  });
});

it("a token of a sign-in is sent to Anthropic as one", async () => {
  await using server = await modelServer([[{ text: "Hm" }]]);
  await eventsOf(
    modelOn(server, "anthropic-messages", { env: { ANTHROPIC_OAUTH_TOKEN: CANARY } }),
    ask("Hm"),
  );
  const { headers } = server.requests[0] ?? {};
  expect(headers?.authorization).toBe(`Bearer ${CANARY}`);
  expect(headers?.["anthropic-beta"]).toContain("oauth");
  expect(headers?.["x-api-key"]).toBeUndefined();
});

it("thinking that a provider redacted is kept and returned to it", async () => {
  await using server = await modelServer([[{ redacted: "b3BhcXVl" }, { text: "Hm" }], [{ text: "Hm" }]]);
  const chat = modelOn(server, "anthropic-messages");
  const { events } = await eventsOf(chat, ask("Hm"));
  const end = events.at(-1);
  const content = end?.type === "end" ? end.content : [];
  expect(content).toEqual([
    { type: "redacted_thinking", data: "b3BhcXVl" },
    { type: "text", text: "Hm" },
  ]);
  await eventsOf(chat, {
    messages: [
      { role: "user", content: "Hm" },
      { role: "assistant", content },
      { role: "user", content: "?" },
    ],
  });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("b3BhcXVl");
});
