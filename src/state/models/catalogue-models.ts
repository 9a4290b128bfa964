/**
 * Models of the large providers, as published on the day below. Prices are for
 * standard requests; batches, fast modes and very long prompts differ.
 */
import type { ModelSpec } from "./types.ts";

export const PRICES_AS_OF = "2026-11-06";

type Prices = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

const MILLION = 1_000_000;
const GEMINI_WINDOW = 1_048_576;
const GPT_WINDOW = 1_050_000;

function model(
  id: string,
  name: string,
  contextWindow: number,
  maxTokens: number,
  prices: Prices,
): ModelSpec {
  const [input, output, cacheRead, cacheWrite] = prices;
  const cost = { input, output, cacheRead, cacheWrite };
  return { id, name, reasoning: true, input: ["text", "image"], cost, contextWindow, maxTokens };
}

export const ANTHROPIC: readonly ModelSpec[] = [
  model("claude-fable-5-1", "Claude Fable 5.1", MILLION, 128_000, [10, 50, 0.25, 12.5]),
  model("claude-opus-5-5", "Claude Opus 5.5", MILLION, 128_000, [4, 20, 0.2, 5]),
  model("claude-sonnet-5-5", "Claude Sonnet 5.5", MILLION, 128_000, [2, 10, 0.2, 2.5]),
  model("claude-haiku-5-5", "Claude Haiku 5.5", MILLION, 128_000, [0.1, 0.5, 0.01, 0.125]),
  model("claude-opus-5", "Claude Opus 5", MILLION, 128_000, [5, 25, 0.5, 6.25]),
  model("claude-sonnet-5", "Claude Sonnet 5", MILLION, 128_000, [2, 10, 0.2, 2.5]),
  model("claude-opus-4-8", "Claude Opus 4.8", MILLION, 128_000, [5, 25, 0.5, 6.25]),
  model("claude-opus-4-7", "Claude Opus 4.7", MILLION, 128_000, [5, 25, 0.5, 6.25]),
  model("claude-opus-4-6", "Claude Opus 4.6", MILLION, 128_000, [5, 25, 0.5, 6.25]),
  model("claude-sonnet-4-6", "Claude Sonnet 4.6", MILLION, 128_000, [3, 15, 0.3, 3.75]),
  model("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, [1, 5, 0.1, 1.25]),
];

export const OPENAI: readonly ModelSpec[] = [
  model("gpt-6-astra", "GPT-6 Astra", GPT_WINDOW, 128_000, [10, 50, 1, 12.5]),
  model("gpt-6.1-sol", "GPT-6.1 Sol", GPT_WINDOW, 128_000, [2, 10, 0.1, 2.5]),
  model("gpt-6.1-terra", "GPT-6.1 Terra", GPT_WINDOW, 128_000, [1, 5, 0.05, 1.25]),
  model("gpt-6-sol", "GPT-6 Sol", GPT_WINDOW, 128_000, [2, 10, 0.2, 2.5]),
  model("gpt-6-luna", "GPT-6 Luna", GPT_WINDOW, 128_000, [0.1, 0.5, 0.01, 0.125]),
  model("gpt-5.4", "GPT-5.4", GPT_WINDOW, 128_000, [2.5, 15, 0.25, 0]),
  model("gpt-5.2", "GPT-5.2", 400_000, 128_000, [1.75, 14, 0.175, 0]),
  model("gpt-5.1", "GPT-5.1", 400_000, 128_000, [1.25, 10, 0.125, 0]),
  model("gpt-5", "GPT-5", 400_000, 128_000, [1.25, 10, 0.125, 0]),
  model("gpt-5-mini", "GPT-5 mini", 400_000, 128_000, [0.25, 2, 0.025, 0]),
  model("gpt-5-nano", "GPT-5 nano", 400_000, 128_000, [0.05, 0.4, 0.005, 0]),
];

export const GOOGLE: readonly ModelSpec[] = [
  model("gemini-3.8-flash", "Gemini 3.8 Flash", GEMINI_WINDOW, 65_536, [0.75, 3.75, 0.075, 0]),
  model("gemini-3.5-flash", "Gemini 3.5 Flash", GEMINI_WINDOW, 65_536, [1.5, 9, 0.15, 0]),
  model("gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", GEMINI_WINDOW, 65_536, [0.3, 2.5, 0.03, 0]),
  model("gemini-3.1-pro-preview", "Gemini 3.1 Pro", GEMINI_WINDOW, 65_536, [2, 12, 0.2, 0]),
  model("gemini-2.5-pro", "Gemini 2.5 Pro", GEMINI_WINDOW, 65_536, [1.25, 10, 0.125, 0]),
  model("gemini-2.5-flash", "Gemini 2.5 Flash", GEMINI_WINDOW, 65_536, [0.3, 2.5, 0.03, 0]),
  model("gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", GEMINI_WINDOW, 65_536, [0.1, 0.4, 0.01, 0]),
];

const NEWEST_PER_VENDOR = 5;

/** Under the names of a reseller. */
function resold(models: readonly ModelSpec[], rename: (id: string) => string): ModelSpec[] {
  return models.slice(0, NEWEST_PER_VENDOR).map((spec) => ({ ...spec, id: rename(spec.id) }));
}

export const OPENROUTER: readonly ModelSpec[] = [
  ...resold(ANTHROPIC, (id) => `anthropic/${id.replace(/-(\d)-(\d)$/, "-$1.$2")}`),
  ...resold(OPENAI, (id) => `openai/${id}`),
  ...resold(GOOGLE, (id) => `google/${id}`),
];

export const BEDROCK: readonly ModelSpec[] = resold(ANTHROPIC, (id) => `global.anthropic.${id}`);
