/** The options of a loop and of a run, and their checks. */
import { invalid } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { checkSignal } from "../../store/access.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import { type ChatModel, THINKING_LEVELS, type ThinkingLevel } from "../model/chat-model.ts";
import type { Tool } from "../tools/tool.ts";
import type { AgentEvent } from "./events.ts";

export interface AgentOptions {
  /** Default: one in memory, for this loop only. */
  readonly store?: Store | undefined;
  /** The session key of the conversation. Default: a new conversation. */
  readonly key?: string | undefined;
  /** Instead of `key`: a conversation of the store. */
  readonly conversation?: Conversation | undefined;
  readonly model: ChatModel;
  /** Tools, or a function that returns them for each run, because those of a server can change. */
  readonly tools?: Iterable<Tool> | (() => Iterable<Tool> | Promise<Iterable<Tool>>) | undefined;
  /** The system prompt, or a function that returns it for each run. It is not stored. */
  readonly system?: string | (() => string | Promise<string>) | undefined;
  readonly thinking?: ThinkingLevel | undefined;
  /** For each answer of the model. Default: what the model allows. */
  readonly maxTokens?: number | undefined;
  /** How often the model is asked in one run. Default: 25. */
  readonly maxSteps?: number | undefined;
  /** For tools without a limit of their own. Default: 2 minutes. */
  readonly toolTimeoutMs?: number | undefined;
  /** Longer outputs of tools are cut, in characters. Default: 200,000. */
  readonly toolOutputMax?: number | undefined;
  /** Summarise the beginning when more than this share of the context window is used. Default: 0.85. */
  readonly compactAt?: number | false | undefined;
  /** How long a model may be silent. Default: 5 minutes. */
  readonly stallTimeoutMs?: number | undefined;
  /** How long to wait for the runs of other processes. Default: 10 minutes. */
  readonly waitMs?: number | undefined;
  /** 1 for the sub-agent of a run that a user started. Default: 0. */
  readonly depth?: number | undefined;
}

export interface RunOptions {
  /** Stops the run. What was streamed is kept. */
  readonly signal?: AbortSignal | undefined;
  /** The text of the answer as it arrives. */
  readonly onDelta?: ((text: string) => void) | undefined;
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
  /** Identifies the run, such as a channel's id of the message: a retry continues it, or returns its answer. */
  readonly operationId?: string | undefined;
  /** Instead of the model of the loop. */
  readonly model?: ChatModel | undefined;
  readonly thinking?: ThinkingLevel | undefined;
}

const POSITIVE = ["maxTokens", "maxSteps", "toolTimeoutMs", "toolOutputMax", "stallTimeoutMs"] as const;
const AGENT_OPTIONS: ReadonlySet<string> = new Set([
  ...["store", "key", "conversation", "model", "tools", "system", "thinking", "compactAt"],
  ...["waitMs", "depth", ...POSITIVE],
]);
const RUN_OPTIONS: ReadonlySet<string> = new Set([
  ...["signal", "onDelta", "onEvent", "operationId", "model", "thinking"],
]);

export function checkAgentOptions(options: AgentOptions): void {
  checkProperties(options, AGENT_OPTIONS, "options");
  const { conversation, key, store, compactAt = false } = options;
  checkModel(options.model);
  checkThinking(options.thinking);
  if (conversation !== undefined && (key !== undefined || store === undefined)) {
    throw invalid("Pass a conversation with its store, and without a key", "conversation");
  }
  for (const name of POSITIVE) {
    const value = options[name];
    if (value !== undefined && !(value > 0)) throw invalid(`${name} must be more than 0`, name);
  }
  if (compactAt !== false && !(compactAt > 0 && compactAt <= 1)) {
    throw invalid("compactAt must be more than 0 and at most 1, or false", "compactAt");
  }
}

export function checkRunOptions(options: RunOptions): void {
  checkProperties(options, RUN_OPTIONS, "options");
  checkSignal(options.signal);
  checkThinking(options.thinking);
  if (options.model !== undefined) checkModel(options.model);
}

function checkModel(model: ChatModel): void {
  if (typeof model?.stream !== "function" || !(model.contextWindow > 0)) {
    throw invalid("model must be a ChatModel: a name, a contextWindow and a stream function", "model");
  }
}

function checkThinking(level: ThinkingLevel | undefined): void {
  if (level !== undefined && !THINKING_LEVELS.includes(level)) {
    throw invalid(`thinking must be one of ${THINKING_LEVELS.join(", ")}`, "thinking");
  }
}
