/** What an agent asks of a language model. Providers implement it; the loop knows nothing else of them. */
import type { Block, Message } from "../../message/types.ts";
import type { JsonObject } from "../../util/json.ts";

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** A tool as a model sees it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: JsonObject;
}

export interface ModelRequest {
  readonly system?: string | undefined;
  /** With complete tool pairs, as `context` returns them. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDescription[] | undefined;
  readonly thinking?: ThinkingLevel | undefined;
  readonly maxOutputTokens?: number | undefined;
}

export interface ModelUsage {
  /** Without those that the cache served. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** In US dollars, if the prices are known. */
  readonly cost?: number;
}

export type StopReason = "end" | "tool_use" | "max_tokens" | "refusal" | "other";

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A profile or a model failed before it said anything; the next one is asked. */
  | { readonly type: "failure"; readonly model: string; readonly profileId?: string; readonly error: Error }
  /** The last one. `content` is the whole step, tool calls included. */
  | {
      readonly type: "end";
      readonly content: readonly Block[];
      readonly stopReason: StopReason;
      readonly usage: ModelUsage;
      /** The model that answered, as `provider/model`. */
      readonly model: string;
      readonly profileId?: string;
    };

export interface ChatModel {
  /** As `provider/model`. */
  readonly name: string;
  /** In tokens. */
  readonly contextWindow: number;
  /**
   * One step of a model.
   *
   * Contract: the last event is `end`. A failure throws a `ColloquyError` whose message a user can read; what was
   * streamed before it is lost to the model, not to the caller. An abort throws the reason of the signal.
   */
  stream(request: ModelRequest, options?: { readonly signal?: AbortSignal }): AsyncIterable<ModelEvent>;
}
