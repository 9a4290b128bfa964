import { describe, expect, it } from "vitest";
import { ColloquyError } from "../../src/errors.ts";
import { modelServer, type Step } from "../support/models/model-server.ts";
import { ask, CANARY, eventsOf, modelOn, PROVIDERS } from "../support/models/model-target.ts";

const APIS = Object.keys(PROVIDERS);
const HALF: Step = [{ text: "Half an " }, { fault: "cut" }];

/** Whatever a server repeats of a request, and however. */
const REPEATS = `Your key ${CANARY} is wrong`;

const REFUSALS: readonly [string, Step, object][] = [
  ["401", { status: 401, message: REPEATS }, { code: "UNAUTHORIZED", message: /colloquy auth add/ }],
  ["403", { status: 403, message: REPEATS }, { code: "FORBIDDEN" }],
  [
    "400",
    { status: 400, message: "tools.0: bad schema" },
    { code: "VALIDATION_ERROR", message: /bad schema/ },
  ],
  ["404", { status: 404, message: "model: tiny" }, { code: "NOT_FOUND" }],
  [
    "429",
    { status: 429, message: "Slow down", headers: { "retry-after": "7" } },
    { code: "RATE_LIMITED", details: { retryAfterMs: 7000, status: 429 } },
  ],
  [
    "429 and a pause in milliseconds",
    { status: 429, headers: { "retry-after-ms": "1500", "retry-after": "2" } },
    { code: "RATE_LIMITED", details: { retryAfterMs: 1500 } },
  ],
  [
    "429 as Google words it",
    {
      status: 429,
      body: JSON.stringify({
        error: {
          message: "You exceeded your current quota, please check your plan and billing details.",
          details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }],
        },
      }),
    },
    { code: "RATE_LIMITED", details: { retryAfterMs: 34_500 } },
  ],
  [
    "a spent quota as OpenAI words it",
    {
      status: 429,
      body: '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
    },
    { code: "FORBIDDEN", details: { kind: "billing" } },
  ],
  [
    "a wrong key as Google words it",
    { status: 400, message: "API key not valid. Pass one" },
    { code: "UNAUTHORIZED" },
  ],
  ["500", { status: 500, body: "<html>oops" }, { code: "SERVICE_UNAVAILABLE" }],
  ["529", { status: 529, message: "Overloaded" }, { code: "SERVICE_UNAVAILABLE", message: /Overloaded/ }],
  [
    "a conversation that is too long",
    { status: 400, message: "prompt is too long: 1000001 tokens > 1000000 maximum" },
    { code: "VALIDATION_ERROR", details: { kind: "context-length" } },
  ],
  [
    "no credit",
    { status: 400, message: "Your credit balance is too low" },
    { code: "FORBIDDEN", details: { kind: "billing" } },
  ],
  [
    "a redirect",
    { status: 302, headers: { location: "https://elsewhere.example" } },
    { code: "NETWORK_ERROR" },
  ],
  ["a connection that ends", "cut", { code: "NETWORK_ERROR" }],
  [
    "a page instead of a stream",
    { status: 200, body: "<html>hello" },
    { code: expect.stringMatching(/NETWORK_ERROR|SERVICE_UNAVAILABLE/) },
  ],
  ["an error at the start of the stream", [{ error: REPEATS }], { code: "SERVICE_UNAVAILABLE" }],
  ["an event that is not JSON", [{ raw: "data: {broken\n\n" }], { code: "SERVICE_UNAVAILABLE" }],
];

describe.each(APIS)("a model of %s that fails", (api) => {
  it.each(REFUSALS)("with %s is a typed error that repeats no key", async (_name, step, expected) => {
    await using server = await modelServer([step]);
    const { events, error } = await eventsOf(modelOn(server, api), ask("Hm"));
    expect(events).toEqual([]);
    const { details, ...rest } = expected as { details?: object };
    expect(error).toBeInstanceOf(ColloquyError);
    expect(error).toMatchObject(
      details === undefined ? rest : { ...rest, details: expect.objectContaining(details) },
    );
    const { message, stack, cause } = error as ColloquyError;
    expect(JSON.stringify([message, stack, cause, error, (error as ColloquyError).details])).not.toContain(
      CANARY,
    );
  });

  it.each<[string, Step, string, object]>([
    ["breaks off", HALF, "Half an ", { code: "NETWORK_ERROR", message: /broke off/ }],
    [
      "sends an event that is not JSON",
      [{ text: "Half" }, { raw: "data: {broken\n\n" }],
      "Half",
      { code: "SERVICE_UNAVAILABLE", message: /cannot be read/ },
    ],
    [
      "sends an error",
      [{ text: "Half" }, { error: REPEATS }],
      "Half",
      { code: "SERVICE_UNAVAILABLE", message: /wrong/ },
    ],
  ])(
    "because it %s in the middle of its answer keeps the first half",
    async (_name, step, text, expected) => {
      await using server = await modelServer([step]);
      const { events, error } = await eventsOf(modelOn(server, api), ask("Hm"));
      expect(events.map((event) => (event.type === "text" ? event.text : event.type)).join("")).toBe(text);
      expect(error).toMatchObject(expected);
      expect(String((error as Error).stack)).not.toContain(CANARY);
    },
  );

  it("because it ends without saying so", async () => {
    const raw = { text: "Half", delayMs: 0 };
    await using server = await modelServer([[raw, { fault: "end" }]]);
    const { events, error } = await eventsOf(modelOn(server, api), ask("Hm"));
    expect(events.map(({ type }) => type)).toEqual(["text"]);
    expect(error).toMatchObject({ code: "NETWORK_ERROR", message: /broke off/ });
  });

  it("because it never answers, or falls silent, is given up", async () => {
    await using server = await modelServer(["hang", [{ text: "One" }, { fault: "hang" }]]);
    const first = await eventsOf(modelOn(server, api, { limits: { connectMs: 50 } }), ask("Hm"));
    expect(first.error).toMatchObject({ code: "NETWORK_ERROR", message: /did not answer within 0.05 s/ });
    const second = await eventsOf(modelOn(server, api, { limits: { silenceMs: 50 } }), ask("Hm"));
    expect(second.events).toEqual([{ type: "text", text: "One" }]);
    expect(second.error).toMatchObject({ code: "NETWORK_ERROR", message: /sent nothing for 0.05 s/ });
  });

  it("because it answers with 10 MB is stopped", async () => {
    await using server = await modelServer([[{ bytes: 10 * 1024 * 1024 }]]);
    const { events, error } = await eventsOf(modelOn(server, api), ask("Hm"));
    expect(error).toMatchObject({ code: "SERVICE_UNAVAILABLE", message: /more than 8.* MB/ });
    const chars = events.reduce((sum, event) => sum + (event.type === "text" ? event.text.length : 0), 0);
    expect(chars).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(chars).toBeGreaterThan(7 * 1024 * 1024);
  });
});

it("a model that is slow is waited for", async () => {
  await using server = await modelServer([
    [1, 2, 3, 4, 5, 6, 7, 8].map((digit) => ({ text: String(digit), delayMs: 40 })),
  ]);
  const limits = { connectMs: 10_000, silenceMs: 10_000 };
  const { events, error } = await eventsOf(modelOn(server, "anthropic-messages", { limits }), ask("Count"));
  expect(error).toBeUndefined();
  expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe("12345678");
});

it.each([
  ["gpt-6", "VALIDATION_ERROR", /<provider>\/<model>/],
  ["antropic/claude", "NOT_FOUND", /Did you mean anthropic/],
  ["nowhere/x", "NOT_FOUND", /models\.providers\.nowhere\.baseUrl/],
  ["bedrock/x", "NOT_SUPPORTED", /bedrock-converse-stream/],
])("a model called %s is refused", async (name, code, message) => {
  await using server = await modelServer([]);
  const models = { providers: {} };
  expect(() => modelOn(server, "anthropic-messages", { name, models })).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

it("a model on another machine without https is refused before its key is sent", async () => {
  await using server = await modelServer([]);
  const models = {
    providers: { groq: { baseUrl: "http://models.example/v1", api: "openai-completions", models: [] } },
  };
  const { error } = await eventsOf(modelOn(server, "openai-completions", { models }), ask("Hm"));
  expect(error).toMatchObject({ code: "VALIDATION_ERROR", message: /must be https/ });
});
