/** Every model API that a conversation can be converted for. */
import { invalid } from "../../errors.ts";
import { checkObjects } from "../../util/checked-arguments.ts";
import type { Message } from "../types.ts";
import { type AiSdkRequest, toAiSdk } from "./ai-sdk.ts";
import { type AnthropicRequest, toAnthropic } from "./anthropic.ts";
import { type OpenAIRequest, toOpenAIRequest } from "./openai.ts";
import { type ResponsesRequest, toResponses } from "./openai-responses.ts";
import type { SystemPrompt } from "./request.ts";

/** What each API takes, in its own names. */
export interface ApiRequests {
  readonly anthropic: AnthropicRequest;
  /** Chat Completions. */
  readonly openai: OpenAIRequest;
  readonly "openai-responses": ResponsesRequest;
  readonly "ai-sdk": AiSdkRequest;
}

export type ModelApi = keyof ApiRequests;

const CONVERTERS: {
  readonly [Api in ModelApi]: (messages: readonly Message[], system?: SystemPrompt) => ApiRequests[Api];
} = {
  anthropic: toAnthropic,
  openai: toOpenAIRequest,
  "openai-responses": toResponses,
  "ai-sdk": toAiSdk,
};

export const MODEL_APIS: readonly string[] = Object.keys(CONVERTERS);

export function isModelApi(value: unknown): value is ModelApi {
  return typeof value === "string" && Object.hasOwn(CONVERTERS, value);
}

/**
 * Convert messages to the part of a request that a conversation makes up, in
 * the shape and the names of one API.
 *
 * Contract: tool pairs must be complete, as `fitToContextWindow` and
 * `repairToolPairs` return them; APIs reject them otherwise.
 */
export function toRequest<Api extends ModelApi>(
  api: Api,
  messages: readonly Message[],
  system?: SystemPrompt,
): ApiRequests[Api] {
  if (!isModelApi(api)) throw invalid(`api must be one of ${MODEL_APIS.join(", ")}`, "api");
  checkObjects(messages, "messages");
  return CONVERTERS[api](messages, system);
}
