/** What the model is sent: as much of the conversation as fits, compacted when that is nearly all. */
import type { Ledger } from "../../context/index.ts";
import { asColloquyError } from "../../errors.ts";
import type { Message } from "../../message/types.ts";
import type { Context } from "../../store/context/context.ts";
import type { Conversation } from "../../store/conversation.ts";
import { defined } from "../../util/json.ts";
import type { ChatModel, ModelRequest, ThinkingLevel, ToolDescription } from "../model/chat-model.ts";
import type { AgentEvent } from "./events.ts";
import { summarizeWith } from "./summarize.ts";

export interface RequestSettings {
  readonly conversation: Conversation;
  readonly model: ChatModel;
  readonly system: string | undefined;
  readonly tools: readonly ToolDescription[];
  readonly thinking: ThinkingLevel | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Compact when more than this share of the context window is used; `false`: never. */
  readonly compactAt: number | false;
  /** How long a model may be silent while it writes a summary. */
  readonly stallMs: number;
  /** The message to answer. Others may have arrived after it, and may be answered by now. */
  readonly question?: Message | undefined;
}

const OUTPUT_TOKENS_MAX = 8192;
/** No model has less. */
const WINDOW_MIN = 2000;
/** The share of the window that compaction keeps as it is. */
const KEPT_SHARE = 0.3;

/** Makes the requests of one run. */
export class Requests {
  readonly #settings: RequestSettings;
  readonly #report: (event: AgentEvent) => void;
  #compacts: boolean;
  #window: number;

  constructor(settings: RequestSettings, report: (event: AgentEvent) => void) {
    this.#settings = settings;
    this.#report = report;
    this.#compacts = settings.compactAt !== false;
    this.#window = settings.model.contextWindow;
  }

  /** The provider found the last request too long: later ones are half as long. Whether that makes sense. */
  shorten(): boolean {
    this.#window = Math.floor(this.#window / 2);
    this.#compacts = this.#settings.compactAt !== false;
    return this.#window >= WINDOW_MIN;
  }

  /** From what is on `branch`. */
  async next(branch: string, signal: AbortSignal): Promise<ModelRequest> {
    const { system, tools, thinking, maxOutputTokens, compactAt } = this.#settings;
    let context = await this.#context(branch);
    if (this.#compacts && compactAt !== false && isNearlyFull(context.ledger, compactAt)) {
      this.#compacts = await this.#compact(branch, context.ledger.budget.available, signal);
      if (this.#compacts) context = await this.#context(branch);
    }
    return {
      system,
      messages: asking(context.messages, this.#settings.question),
      tools,
      thinking,
      maxOutputTokens,
    };
  }

  #context(branch: string): Promise<Context> {
    const { conversation, system, tools, maxOutputTokens } = this.#settings;
    const reserve = maxOutputTokens ?? Math.min(OUTPUT_TOKENS_MAX, Math.floor(this.#window / 4));
    return conversation.context({
      maxTokens: this.#window,
      reserveForOutput: reserve,
      tools,
      branch,
      ...defined({ system }),
    });
  }

  /** Whether there is a summary now. Never fails the run. */
  async #compact(branch: string, available: number, signal: AbortSignal): Promise<boolean> {
    const { conversation, model, stallMs } = this.#settings;
    this.#report({ type: "compaction", state: "started" });
    try {
      const entry = await conversation.compact({
        summarize: summarizeWith(model, this.#window, stallMs),
        keepTokens: Math.floor(available * KEPT_SHARE),
        signal,
        branch,
      });
      if (entry === undefined) return false;
      const messages = entry.data.summarised ?? 0;
      this.#report({ type: "compaction", state: "done", entry: entry.id, messages });
      return true;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      this.#report({ type: "compaction", state: "failed", error: asColloquyError(error, "Cannot compact") });
      return false;
    }
  }
}

function isNearlyFull({ budget, dropped }: Ledger, share: number): boolean {
  return budget.used > budget.available * share || dropped.some(({ reason }) => reason === "budget");
}

const AGAIN =
  "[The answer above was cut off before its end. Answer the last message again, from the beginning.]";

/**
 * An answer is at the end: one that was cut off, or that of another message, which was given after the question had
 * arrived. The model must not take it for its turn.
 */
function asking(messages: readonly Message[], question: Message | undefined): readonly Message[] {
  if (messages.at(-1)?.role !== "assistant") return messages;
  return [...messages, { role: "user", content: question?.content ?? AGAIN }];
}
