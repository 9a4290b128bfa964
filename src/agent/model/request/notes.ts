/**
 * What a provider wants to see again: its own sealed thinking.
 *
 * Blocks of other providers than Anthropic carry `provider`, so that a seal is
 * never shown to a provider that did not make it: it would refuse the request.
 */
import type { LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { Block, Message } from "../../../message/types.ts";
import { stringOf } from "../../../util/json.ts";
import { filledIn } from "../../../util/values.ts";
import type { Target } from "../target.ts";

/** Where an answer of the past occurs. */
export interface Answered {
  readonly target: Target;
  /** After the last question: the model is still at it. */
  readonly isCurrent: boolean;
}

const MADE_BY_DEFAULT = "anthropic";

export function thinkingPart(
  block: Block,
  message: Message,
  { target, isCurrent }: Answered,
): LanguageModelV4ReasoningPart[] {
  const { type, thinking, signature, data, provider = MADE_BY_DEFAULT } = block;
  if (provider !== target.provider) return [];
  const said = stringOf(thinking);
  const seal = filledIn(signature);
  switch (target.api) {
    case "anthropic-messages":
      if (!isOfClaude(message, target)) return [];
      if (type === "redacted_thinking") return [part("", { anthropic: { redactedData: stringOf(data) } })];
      return type === "thinking" && seal !== undefined
        ? [part(said, { anthropic: { signature: seal } })]
        : [];
    case "openai-responses":
      return type === "thinking" && seal !== undefined
        ? [part(said, { openai: { itemId: stringOf(block.id), reasoningEncryptedContent: seal } })]
        : [];
    case "google-generative-ai":
      return type === "thinking" && seal !== undefined
        ? [part(said, { google: { thoughtSignature: seal } })]
        : [];
    case "openai-completions":
      // Some servers refuse the results of a tool without the thinking before its call; none needs it later.
      return type === "thinking" && isCurrent && said !== "" ? [{ type: "reasoning", text: said }] : [];
  }
}

/** Google also seals calls and texts. */
export function callNotes(block: Block, { target }: Answered): { providerOptions?: SharedV4ProviderOptions } {
  const seal = filledIn(block.signature);
  const isOwn = target.api === "google-generative-ai" && block.provider === target.provider;
  return isOwn && seal !== undefined ? { providerOptions: { google: { thoughtSignature: seal } } } : {};
}

/** Imported messages say which model made them. */
function isOfClaude({ model }: Message, { provider }: Target): boolean {
  return provider !== MADE_BY_DEFAULT || model === undefined || /claude/i.test(model);
}

function part(text: string, providerOptions: SharedV4ProviderOptions): LanguageModelV4ReasoningPart {
  return { type: "reasoning", text, providerOptions };
}
