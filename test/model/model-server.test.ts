/** The packages that Colloquy uses read what the scripted server says: it speaks the real protocols. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, it } from "vitest";
import { type ModelServer, modelServer, type Step } from "../support/models/model-server.ts";

type Model = ReturnType<ReturnType<typeof createAnthropic>>;
type Call = Parameters<Model["doStream"]>[0];

const ASK: Call = { prompt: [{ role: "user", content: [{ type: "text", text: "Tea?" }] }] };

const PROTOCOLS: readonly [string, (server: ModelServer) => Model][] = [
  [
    "Anthropic Messages",
    ({ baseUrls }) => createAnthropic({ baseURL: `${baseUrls.anthropic}/v1`, apiKey: "k" })("claude-x"),
  ],
  ["OpenAI Responses", ({ baseUrls }) => createOpenAI({ baseURL: baseUrls.openai, apiKey: "k" })("gpt-x")],
  [
    "OpenAI Chat Completions",
    ({ baseUrls }) =>
      createOpenAICompatible({ name: "x", baseURL: baseUrls.openai, includeUsage: true })("x"),
  ],
  ["Google", ({ baseUrls }) => createGoogle({ baseURL: baseUrls.google, apiKey: "k" })("gemini-x")],
];

async function answerOf(model: Model): Promise<{ text: string; rest: object[] }> {
  const { stream } = await model.doStream(ASK);
  let text = "";
  const rest: object[] = [];
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    else if (part.type === "tool-call" || part.type === "finish" || part.type === "error") rest.push(part);
  }
  return { text, rest };
}

describe.each(PROTOCOLS)("the scripted model server in %s", (_name, modelOf) => {
  it("streams text, thinking, tool calls and usage", async () => {
    const step: Step = {
      say: [
        { thinking: "Let me ", signature: "c2ln" },
        { text: "I " },
        { text: "look." },
        { tool: "search", input: { text: "tea" }, id: "call_7" },
      ],
      usage: { input: 30, output: 7, cacheRead: 20 },
    };
    await using server = await modelServer([step]);
    const { text, rest } = await answerOf(modelOf(server));
    expect(text).toBe("I look.");
    expect(rest).toEqual([
      expect.objectContaining({ type: "tool-call", toolName: "search", input: '{"text":"tea"}' }),
      expect.objectContaining({
        type: "finish",
        finishReason: expect.objectContaining({ unified: "tool-calls" }),
        usage: expect.objectContaining({
          inputTokens: expect.objectContaining({ noCache: 30, cacheRead: 20 }),
          outputTokens: expect.objectContaining({ total: 7 }),
        }),
      }),
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it("refuses, and breaks off", async () => {
    const headers = { "retry-after": "7" };
    await using server = await modelServer([
      { status: 429, message: "Slow down", headers },
      [{ text: "half" }, { fault: "cut" }],
    ]);
    await expect(modelOf(server).doStream(ASK)).rejects.toMatchObject({
      statusCode: 429,
      message: "Slow down",
      responseHeaders: expect.objectContaining(headers),
    });
    await expect(answerOf(modelOf(server))).rejects.toThrow();
  });
});
