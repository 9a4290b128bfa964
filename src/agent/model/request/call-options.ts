/** A request as a provider takes it: prompt, tools, thinking, caching. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { sha256Hex } from "../../../util/sha256.ts";
import type { ModelRequest, ThinkingLevel, ToolDescription } from "../chat-model.ts";
import type { Target } from "../target.ts";
import { promptOf, toolName } from "./prompt.ts";

/** Enough for any answer to a person. More would count against the window of older models. */
const OUTPUT_TOKENS_MAX = 32_000;
const CACHE: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** Of the four that Anthropic allows: one on the tools, one on the system prompt. */
const CACHED_MESSAGES = 2;

export function callOptions(request: ModelRequest, target: Target): LanguageModelV4CallOptions {
  const { tools = [], thinking, maxOutputTokens = outputTokens(target) } = request;
  const prompt = promptOf(request, target);
  const reasoning = reasoningOf(thinking, target);
  const isAnthropic = target.api === "anthropic-messages";
  return {
    prompt: isAnthropic ? cached(prompt) : prompt,
    providerOptions: providerOptions(request, target),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, index) => describe(tool, target, index === tools.length - 1)) }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** Anthropic requires a limit; the others have one. */
function outputTokens({ api, spec }: Target): number | undefined {
  if (api !== "anthropic-messages") return undefined;
  return Math.min(spec.maxTokens ?? OUTPUT_TOKENS_MAX, OUTPUT_TOKENS_MAX);
}

/** The SDK turns a level into the nearest one that a model has: an effort, a budget, or the least it can do. */
function reasoningOf(
  level: ThinkingLevel | undefined,
  { api, spec }: Target,
): LanguageModelV4CallOptions["reasoning"] {
  if (level === undefined || spec.reasoning === false) return undefined;
  if (api !== "openai-completions") return level === "off" ? "none" : level;
  // Servers behind this protocol differ: they are asked for what all of them know, and only if the model can think.
  if (level === "off" || spec.reasoning !== true) return undefined;
  return level === "minimal" ? "low" : level;
}

function describe(tool: ToolDescription, { api }: Target, isLast: boolean): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name: toolName(tool.name),
    description: tool.description,
    inputSchema: tool.inputSchema as LanguageModelV4FunctionTool["inputSchema"],
    // Strict schemas would have to name every property as required.
    ...(api === "openai-responses" ? { strict: false } : {}),
    ...(api === "anthropic-messages" && isLast ? { providerOptions: CACHE } : {}),
  };
}

function cached(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const first = prompt.length - CACHED_MESSAGES;
  return prompt.map((message, index) =>
    message.role === "system" || index >= first ? { ...message, providerOptions: CACHE } : message,
  );
}

function providerOptions(request: ModelRequest, { api, spec }: Target): SharedV4ProviderOptions {
  const { thinking } = request;
  // Arguments of tools are not shown while they arrive, and arrive valid when they may wait.
  if (api === "anthropic-messages") return { anthropic: { toolStreaming: false } };
  if (api === "openai-responses") {
    // Conversations are kept here, not there. Requests with equal beginnings go to the server that has them cached.
    const reasoning = spec.reasoning === undefined ? {} : { forceReasoning: spec.reasoning };
    return { openai: { store: false, promptCacheKey: cacheKey(request), ...reasoning } };
  }
  if (
    api === "google-generative-ai" &&
    thinking !== undefined &&
    thinking !== "off" &&
    spec.reasoning !== false
  ) {
    return { google: { thinkingConfig: { includeThoughts: true } } };
  }
  return {};
}

function cacheKey({ system = "", messages }: ModelRequest): string {
  return sha256Hex(JSON.stringify([system, messages[0] ?? null])).slice(0, 32);
}
