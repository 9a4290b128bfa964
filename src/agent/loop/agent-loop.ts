import { ColloquyError, invalid } from "../../errors.ts";
import type { Block, Message, MessageInput } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import { isPlainObject } from "../../util/json.ts";
import { systemRandom, uuidv7 } from "../../util/uuid.ts";
import type { ChatModel } from "../model/chat-model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { checkRunId, isRunId, openStepOf, runOf } from "./attempts.ts";
import type { AgentEvent, RunResult } from "./events.ts";
import { waitsForTool } from "./inside-tool.ts";
import { STALL_MS } from "./lively.ts";
import { type AgentOptions, checkAgentOptions, checkRunOptions, type RunOptions } from "./options.ts";
import { Requests } from "./request.ts";
import { type RunSetup, run } from "./run.ts";
import { untilAborted } from "./until-aborted.ts";

const NEVER = new AbortController().signal;

interface Place {
  readonly store: Store;
  readonly conversation: Conversation;
  readonly key: string | null;
}

/**
 * Answers messages of one conversation with a model and tools. Everything is stored as it happens, so a run that
 * was killed continues where it was.
 */
export class AgentLoop implements AsyncDisposable {
  readonly #options: AgentOptions;
  readonly #tools: () => ToolRegistry | Promise<ToolRegistry>;
  #place: Promise<Place> | undefined;
  #ownStore: Store | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AgentOptions) {
    checkAgentOptions(options);
    this.#options = options;
    const { tools = [] } = options;
    if (typeof tools === "function") this.#tools = async () => new ToolRegistry(await tools());
    else {
      const registry = new ToolRegistry(tools);
      this.#tools = () => registry;
    }
  }

  /** The conversation, which is created at its first use. */
  async conversation(): Promise<Conversation> {
    return (await this.#at()).conversation;
  }

  /**
   * Answer a message. Runs of a conversation follow each other, first in, first out, across processes too.
   *
   * Contract: the message is durable before the model is asked, and each result of a tool before anything else
   * happens. With `operationId`, a run that was interrupted is continued, and one that has ended is
   * returned as it ended. An abort keeps what was streamed and returns with the stop reason `stopped`. An
   * error of the model keeps the message and is thrown; the next run continues.
   */
  async run(input: string | readonly Block[] | MessageInput, options: RunOptions = {}): Promise<RunResult> {
    const message = messageOf(input);
    checkRunOptions(options);
    const id = options.operationId === undefined ? undefined : checkRunId(options.operationId);
    return this.#queued(options, (place) => this.#run(place, id, message, options));
  }

  /**
   * Answer a message that the conversation has already, such as one that a channel has accepted. The id of the run is
   * `operationId`, or that of the message.
   */
  async answer(entryId: string, options: RunOptions = {}): Promise<RunResult> {
    checkRunOptions(options);
    const id = checkRunId(options.operationId ?? entryId);
    return this.#queued(options, async (place) => {
      const question = (await place.conversation.entry(entryId))?.message;
      if (question?.role === "user") return this.#run(place, id, undefined, options, question);
      throw new ColloquyError("NOT_FOUND", `There is no message ${entryId} of the user to answer`, {
        field: "entryId",
      });
    });
  }

  /**
   * Complete what the last run of the conversation left open: a message without an answer, or tool calls without
   * results. `undefined` if there is nothing to do.
   */
  async resume(options: Omit<RunOptions, "operationId"> = {}): Promise<RunResult | undefined> {
    checkRunOptions(options);
    return this.#queued(options, async (place) => {
      const id = await unfinishedRun(place.conversation);
      return id === undefined ? undefined : this.#run(place, id, undefined, options);
    });
  }

  /** Waits for the runs, and closes the store if the loop opened it. */
  async close(): Promise<void> {
    await this.#last;
    await this.#ownStore?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** One after the other; a run that is stopped before its turn writes nothing. */
  async #queued<T>({ signal = NEVER }: RunOptions, work: (place: Place) => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = before.then(() => promise);
    try {
      const place = await this.#at();
      const { id } = place.conversation;
      if (waitsForTool(id)) {
        const message = `Conversation ${id} waits for the tool that asks for another run of it. Use another conversation`;
        throw new ColloquyError("CONFLICT", message, { field: "conversation" });
      }
      await untilAborted(before, signal).catch(() => {});
      return await work(place);
    } finally {
      resolve();
    }
  }

  async #run(
    place: Place,
    id: string | undefined,
    input: MessageInput | undefined,
    options: RunOptions,
    question?: Message,
  ): Promise<RunResult> {
    const { onDelta, onEvent, signal = NEVER, model = this.#options.model } = options;
    const report = (event: AgentEvent): void => {
      if (event.type === "text") onDelta?.(event.text);
      onEvent?.(event);
    };
    const result = await run(await this.#setup(place, model, options, signal, report, question), id, input);
    report({ type: "done", result });
    return result;
  }

  async #setup(
    place: Place,
    model: ChatModel,
    options: RunOptions,
    signal: AbortSignal,
    report: (event: AgentEvent) => void,
    question: Message | undefined,
  ): Promise<RunSetup> {
    const { system, maxTokens, compactAt = 0.85 } = this.#options;
    const tools = await this.#tools();
    const stallMs = this.#options.stallTimeoutMs ?? STALL_MS;
    const requests = new Requests(
      {
        conversation: place.conversation,
        model,
        system: typeof system === "function" ? await system() : system,
        tools: tools.descriptions(),
        thinking: options.thinking ?? this.#options.thinking,
        maxOutputTokens: maxTokens,
        compactAt,
        stallMs,
        question,
      },
      report,
    );
    return {
      ...place,
      model,
      tools,
      requests,
      maxSteps: this.#options.maxSteps ?? 25,
      limits: {
        timeoutMs: this.#options.toolTimeoutMs ?? 120_000,
        charsMax: this.#options.toolOutputMax ?? 200_000,
      },
      stallMs,
      waitMs: this.#options.waitMs ?? 600_000,
      depth: this.#options.depth ?? 0,
      signal,
      report,
    };
  }

  #at(): Promise<Place> {
    const known = this.#place;
    this.#place = known === undefined ? this.#open() : known.then((place) => this.#current(place));
    // One that failed, for example because the disk was full, may be tried again.
    this.#place.catch(() => {
      this.#place = undefined;
    });
    return this.#place;
  }

  /** A key can belong to another conversation by now: a user, in any process, may have started a new one. */
  async #current(place: Place): Promise<Place> {
    const { key, conversation: given } = this.#options;
    if (key === undefined || given !== undefined) return place;
    const found = await place.store.get(key);
    return found?.id === place.conversation.id ? place : this.#open();
  }

  async #open(): Promise<Place> {
    const { key, conversation: given } = this.#options;
    if (this.#options.store === undefined) this.#ownStore ??= await openStore("ephemeral:");
    const store = this.#options.store ?? (this.#ownStore as Store);
    const conversation = given ?? (key === undefined ? await store.create() : await store.open(key));
    return { store, conversation, key: (await conversation.info()).key };
  }
}

function newId(): string {
  return uuidv7(Date.now(), systemRandom);
}

function messageOf(input: string | readonly Block[] | MessageInput): MessageInput {
  if (typeof input === "string") return { role: "user", content: input };
  if (Array.isArray(input)) return { role: "user", content: input };
  if (!isPlainObject(input)) throw invalid("The input must be a text, blocks or a message", "input");
  const message = input as MessageInput;
  if (message.role !== "user") throw invalid("The input of a run must be a message of the user", "input");
  return message;
}

/** The run of the last message, if that needs an answer: the one that `resume` completes. */
export async function unfinishedRun(conversation: Conversation): Promise<string | undefined> {
  const [last] = (await conversation.messages({ last: 1, blobs: "references" })).items;
  if (last === undefined) return undefined;
  const { role, endState } = last.message;
  const isOpen =
    role === "user" || endState === "interrupted" || (await openStepOf(conversation)) !== undefined;
  if (!isOpen) return undefined;
  // A message that no run wrote is answered under its id, as `answer` does.
  return (await runOf(conversation, last)) ?? (isRunId(last.id) ? last.id : newId());
}
