/** Puts the blocks of an answer together while it is streamed. */
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Block } from "../../../message/types.ts";
import { isJsonObject, type Json, type JsonObject, parseJson } from "../../../util/json.ts";
import { filledIn } from "../../../util/values.ts";

type Draft = { -readonly [Name in string]?: Json } & { type: string };
type Part<Type> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/** Arguments that are not JSON are shown to the model again, up to this length. */
const INVALID_CHARS_MAX = 2000;

export class AnswerBlocks {
  readonly #provider: string;
  readonly #blocks: Draft[] = [];
  /** By the ids of the SDK. */
  readonly #open = new Map<string, Draft>();

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Without blocks that have no content, which APIs refuse. */
  get content(): readonly Block[] {
    return this.#blocks.filter(isFilled);
  }

  beginText({ id, providerMetadata }: Part<"text-start">): void {
    this.#note(this.#begin(`text ${id}`, { type: "text", text: "" }), providerMetadata);
  }

  text({ id, delta, providerMetadata }: Part<"text-delta">): void {
    const block = this.#open.get(`text ${id}`) ?? this.#begin(`text ${id}`, { type: "text", text: "" });
    block.text = `${block.text}${delta}`;
    this.#note(block, providerMetadata);
  }

  beginThinking({ id, providerMetadata }: Part<"reasoning-start">): void {
    const redacted = filledIn(providerMetadata?.anthropic?.redactedData);
    if (redacted !== undefined) {
      this.#begin(`thinking ${id}`, { type: "redacted_thinking", data: redacted });
      return;
    }
    const item = filledIn(providerMetadata?.openai?.itemId);
    const last = this.#blocks.at(-1);
    // One thought of OpenAI has several summaries.
    if (item !== undefined && last?.type === "thinking" && last.id === item) {
      last.thinking = `${last.thinking}\n\n`;
      this.#open.set(`thinking ${id}`, last);
      return;
    }
    const block = this.#begin(`thinking ${id}`, { type: "thinking", thinking: "" });
    if (this.#provider !== "anthropic") block.provider = this.#provider;
    if (item !== undefined) block.id = item;
    this.#note(block, providerMetadata);
  }

  thinking({ id, delta, providerMetadata }: Part<"reasoning-delta">): void {
    const block = this.#open.get(`thinking ${id}`);
    if (block?.type !== "thinking") return;
    block.thinking = `${block.thinking}${delta}`;
    this.#note(block, providerMetadata);
  }

  end({ type, id, providerMetadata }: Part<"text-end"> | Part<"reasoning-end">): void {
    const block = this.#open.get(`${type === "text-end" ? "text" : "thinking"} ${id}`);
    if (block !== undefined) this.#note(block, providerMetadata);
  }

  call({ toolCallId, toolName, input, providerMetadata }: Part<"tool-call">): void {
    const block = { type: "tool_use", id: toolCallId, name: toolName, ...argumentsOf(input) };
    this.#note(this.#begin(`call ${toolCallId}`, block), providerMetadata);
  }

  #begin(id: string, block: Draft): Draft {
    this.#blocks.push(block);
    this.#open.set(id, block);
    return block;
  }

  /** Seals, which the provider wants to see again. */
  #note(block: Draft, metadata: SharedV4ProviderMetadata | undefined): void {
    const seal =
      filledIn(metadata?.anthropic?.signature) ??
      filledIn(metadata?.openai?.reasoningEncryptedContent) ??
      filledIn(metadata?.google?.thoughtSignature);
    if (seal === undefined || (block.type !== "thinking" && metadata?.google === undefined)) return;
    block.signature = seal;
    if (this.#provider !== "anthropic") block.provider = this.#provider;
  }
}

/** `invalid_input` is the text of arguments that are not a JSON object: the tool must not run. */
function argumentsOf(text: string): JsonObject {
  const input = text.trim() === "" ? {} : parseJson(text);
  if (isJsonObject(input)) return { input };
  return { input: {}, invalid_input: text.slice(0, INVALID_CHARS_MAX) };
}

function isFilled({ type, text, thinking, signature }: Draft): boolean {
  if (type === "text") return text !== "";
  return type !== "thinking" || thinking !== "" || signature !== undefined;
}
