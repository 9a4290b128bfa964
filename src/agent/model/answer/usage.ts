import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelCost } from "../../../state/models/types.ts";
import type { ModelUsage } from "../chat-model.ts";

const MILLION = 1_000_000;

export function usageOf(
  { inputTokens, outputTokens }: LanguageModelV4Usage,
  cost: ModelCost | undefined,
): ModelUsage {
  const cacheReadTokens = inputTokens.cacheRead ?? 0;
  const cacheWriteTokens = inputTokens.cacheWrite ?? 0;
  const cachedTokens = cacheReadTokens + cacheWriteTokens;
  const usage = {
    inputTokens: inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - cachedTokens),
    outputTokens: outputTokens.total ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
  return cost === undefined ? usage : { ...usage, cost: dollars(usage, cost) };
}

function dollars(usage: ModelUsage, cost: ModelCost): number {
  const sum =
    usage.inputTokens * cost.input +
    usage.outputTokens * cost.output +
    usage.cacheReadTokens * cost.cacheRead +
    usage.cacheWriteTokens * cost.cacheWrite;
  // Whole billionths: a price per million has at most three decimals.
  return Math.round(sum * 1000) / (MILLION * 1000);
}
