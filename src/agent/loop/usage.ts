/** Token counts: of a step as they are stored, of a run, and of a conversation. */
import type { Message, MessageEntry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import { checkMethod } from "../../util/checked-arguments.ts";
import type { JsonObject } from "../../util/json.ts";
import { numberIn } from "../../util/values.ts";
import type { ModelUsage } from "../model/chat-model.ts";

export const NO_USAGE: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

/** As Anthropic names them, which is how contexts count the tokens of an answer. */
export function storedUsage(usage: ModelUsage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    ...(usage.cost === undefined ? {} : { cost: usage.cost }),
  };
}

/** Imported messages may have the names of other providers. */
export function usageOfMessage({ usage = {} }: Pick<Message, "usage">): ModelUsage {
  const cost = numberIn(usage.cost);
  return {
    inputTokens: numberIn(usage.input_tokens ?? usage.prompt_tokens) ?? 0,
    outputTokens: numberIn(usage.output_tokens ?? usage.completion_tokens) ?? 0,
    cacheReadTokens: numberIn(usage.cache_read_input_tokens) ?? 0,
    cacheWriteTokens: numberIn(usage.cache_creation_input_tokens) ?? 0,
    ...(cost === undefined ? {} : { cost }),
  };
}

export function addUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cost = one.cost === undefined && other.cost === undefined ? undefined : sum(one.cost, other.cost);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    ...(cost === undefined ? {} : { cost }),
  };
}

function sum(one = 0, other = 0): number {
  return one + other;
}

export function usageOfEntries(entries: readonly MessageEntry[]): ModelUsage {
  return entries.reduce((total, { message }) => addUsage(total, usageOfMessage(message)), NO_USAGE);
}

/** What all answers of a conversation used, on every branch. Reads the whole conversation. */
export async function usageOf(conversation: Conversation): Promise<ModelUsage> {
  checkMethod(conversation, "info", "conversation");
  return (await usageAfter(conversation, undefined)).usage;
}

/** What the answers after an entry used, in the order of the log. */
export interface LaterUsage {
  readonly usage: ModelUsage;
  /** The model that answered last. */
  readonly model: string | undefined;
  /** The last message that is counted. */
  readonly through: string | undefined;
}

/** Without `after`: all answers. `NOT_FOUND` if that entry was removed. */
export async function usageAfter(conversation: Conversation, after: string | undefined): Promise<LaterUsage> {
  let usage = NO_USAGE;
  let model: string | undefined;
  let through = after;
  const query = { all: true, blobs: "references", ...(after === undefined ? {} : { after }) } as const;
  for await (const { id, message } of conversation.messages(query)) {
    through = id;
    if (message.role !== "assistant") continue;
    usage = addUsage(usage, usageOfMessage(message));
    model = message.model ?? model;
  }
  return { usage, model, through };
}
