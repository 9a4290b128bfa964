/** A model of each protocol, on a scripted server. */
import { type ChatModel, type ModelEvent, type ModelRequest, openModel } from "../../../src/agent/index.ts";
import type { OpenModelOptions } from "../../../src/agent/model/open-model.ts";
import type { ModelSpec } from "../../../src/state/models/types.ts";
import type { ModelServer } from "./model-server.ts";

export const CANARY = "canary-0123456789-abcdefghijkl";

/** By the names of protocols in models.json. */
export const PROVIDERS: Readonly<
  Record<string, { provider: string; model: string; base: keyof ModelServer["baseUrls"] }>
> = {
  "anthropic-messages": { provider: "anthropic", model: "claude-opus-5-5", base: "anthropic" },
  "openai-responses": { provider: "openai", model: "gpt-6-sol", base: "openai" },
  "openai-completions": { provider: "groq", model: "tiny", base: "openai" },
  "google-generative-ai": { provider: "google", model: "gemini-3.8-flash", base: "google" },
};

const COST = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

export function modelOn(
  server: ModelServer,
  api: string,
  options: Partial<OpenModelOptions> = {},
  spec: Partial<ModelSpec> = {},
): ChatModel {
  const { provider = "", model = "" } = PROVIDERS[api] ?? {};
  const env = {
    ANTHROPIC_API_KEY: CANARY,
    OPENAI_API_KEY: CANARY,
    GROQ_API_KEY: CANARY,
    GEMINI_API_KEY: CANARY,
  };
  return openModel({ name: `${provider}/${model}`, models: modelsOn(server, spec), env, ...options });
}

function modelsOn(
  server: ModelServer,
  spec: Partial<ModelSpec> = {},
): NonNullable<OpenModelOptions["models"]> {
  const providers = Object.entries(PROVIDERS).map(([api, { provider, model, base }]) => {
    const models: ModelSpec[] = [
      {
        id: model,
        name: model,
        reasoning: true,
        input: ["text", "image"],
        cost: COST,
        contextWindow: 1000,
        ...spec,
      },
    ];
    return [provider, { baseUrl: server.baseUrls[base], api, models }];
  });
  return { providers: Object.fromEntries(providers) };
}

export function ask(text: string, request: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: "user", content: text }], ...request };
}

/** All events, up to an error. */
export async function eventsOf(
  model: ChatModel,
  request: ModelRequest,
  signal?: AbortSignal,
): Promise<{ readonly events: ModelEvent[]; readonly error: unknown }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, signal === undefined ? {} : { signal }))
      events.push(event);
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}
