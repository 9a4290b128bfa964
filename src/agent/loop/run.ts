/** One run: from the message of a user to the answer, over as many steps and tools as that takes. */
import { isDeepStrictEqual } from "node:util";
import { isRealUser } from "../../context/item.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import { blocksOf, isToolResult, isToolUse } from "../../message/blocks.ts";
import { textOf } from "../../message/text.ts";
import type { MessageEntry, MessageInput, ToolResultBlock, ToolUseBlock } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { ChatModel } from "../model/chat-model.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolCall } from "../tools/tool.ts";
import { askModel } from "./ask-model.ts";
import { type Attempt, beginAttempt, openStepOf } from "./attempts.ts";
import { admit, callTool, outputText, refusal, STOPPED, type ToolLimits } from "./call-tool.ts";
import type { AgentEvent, RunResult, RunStopReason } from "./events.ts";
import { insideTool } from "./inside-tool.ts";
import type { Failures } from "./model-step.ts";
import type { Requests } from "./request.ts";
import { errorResult } from "./tool-output.ts";
import { NO_USAGE, usageOfEntries } from "./usage.ts";

export interface RunSetup {
  readonly store: Store;
  readonly conversation: Conversation;
  readonly key: string | null;
  readonly model: ChatModel;
  readonly tools: ToolRegistry;
  readonly requests: Requests;
  readonly maxSteps: number;
  readonly limits: ToolLimits;
  readonly stallMs: number;
  readonly waitMs: number;
  readonly depth: number;
  readonly signal: AbortSignal;
  readonly report: (event: AgentEvent) => void;
}

const INTERRUPTED =
  "The process ended while this tool was running, so it is not known whether it finished. It was not run again.";
const NONE: ReadonlySet<string> = new Set();
const ABANDONED = "The run was interrupted before this tool returned a result.";

/** `id` is `undefined` for a run that cannot be repeated, `input` when the conversation has the message already. */
export async function run(
  setup: RunSetup,
  id: string | undefined,
  input: MessageInput | undefined,
): Promise<RunResult> {
  const { conversation, model, waitMs, signal } = setup;
  const options = { model: model.name, waitMs, signal };
  for (let known = id; !signal.aborted; ) {
    const attempt = await beginAttempt(conversation, known, options).catch((error: unknown) => {
      if (signal.aborted && error instanceof ColloquyError && error.field === "lease") return undefined;
      throw error;
    });
    if (attempt === undefined) break;
    const { turn, earlier } = attempt;
    if (turn.state !== "running") {
      knownMessage([...earlier, ...turn.entries], input);
      return resultOf(setup, turn, earlier);
    }
    const result = await new Run(setup, attempt).perform(input);
    if (result !== undefined) return result;
    // Another process has ended the turn. It may have answered already; otherwise the run is continued after it.
    known ??= turn.id;
  }
  return nothingRun(setup);
}

class Run {
  readonly #setup: RunSetup;
  readonly #turn: Turn;
  readonly #earlier: readonly MessageEntry[];
  readonly #started: ReadonlySet<string>;
  readonly #failures: Failures = [];

  constructor(setup: RunSetup, { turn, earlier, started }: Attempt) {
    this.#setup = setup;
    this.#turn = turn;
    this.#earlier = earlier;
    this.#started = started;
  }

  /** `undefined` if another process has taken over. */
  async perform(input: MessageInput | undefined): Promise<RunResult | undefined> {
    const { signal } = this.#setup;
    const turn = this.#turn;
    try {
      await this.#catchUp(input);
      return await this.#steps();
    } catch (error) {
      if (await this.#isTakenOver(error)) return undefined;
      if (signal.aborted && turn.state === "running") return await this.#end("stopped");
      await this.#keepFailure(error);
      throw asColloquyError(error, "The run failed");
    } finally {
      // Releases the lease of a turn that could not be ended; its error is the one that is thrown.
      await Promise.resolve(turn[Symbol.asyncDispose]()).catch(() => {});
    }
  }

  /** Store the message, and complete what an interrupted run left open. */
  async #catchUp(input: MessageInput | undefined): Promise<void> {
    const open = await openStepOf(this.#setup.conversation, await this.#turn.branch());
    const isOwn = open !== undefined && this.#earlier.some(({ id }) => id === open.entry.id);
    if (open !== undefined && !isOwn) {
      await this.#turn.add({ role: "user", content: open.calls.map(({ id }) => errorResult(id, ABANDONED)) });
    }
    const known = knownMessage(this.#earlier, input);
    if (input !== undefined && known === undefined) await this.#turn.add(input);
    if (isOwn) await this.#callTools(open.calls, this.#started);
  }

  async #steps(): Promise<RunResult> {
    const { maxSteps, signal, report } = this.#setup;
    let step = this.#earlier.filter(isStep).length;
    while (step < maxSteps) {
      signal.throwIfAborted();
      report({ type: "step", step: ++step });
      const { message, calls } = await askModel(this.#setup, this.#turn, this.#failures);
      if (message === undefined || calls.length === 0) return this.#end("finished", message);
      await this.#turn.add(message);
      await this.#callTools(calls);
    }
    const content = `I stopped after ${maxSteps} steps without an answer. Tell me to continue if I should.`;
    return this.#end("finished", { role: "assistant", content, stopReason: "max_steps" });
  }

  /** In order. Each result is durable before the next tool runs, so no kill makes a finished tool run again. */
  async #callTools(calls: readonly ToolUseBlock[], started: ReadonlySet<string> = NONE): Promise<void> {
    for (const use of calls) {
      const result = await this.#callTool(use, started);
      await this.#turn.add({ role: "user", content: [result] });
      const isError = result.is_error === true;
      const { id, name } = use;
      this.#setup.report({ type: "tool-end", id, name, isError, output: outputText(result) });
    }
    this.#setup.signal.throwIfAborted();
  }

  /** `started`: only for calls of an interrupted run. Some models use the same ids in every step. */
  async #callTool(use: ToolUseBlock, started: ReadonlySet<string>): Promise<ToolResultBlock> {
    const { tools, signal, limits, report, store, conversation, key, depth } = this.#setup;
    const { id, name, input } = use;
    if (signal.aborted) return errorResult(id, STOPPED);
    const mayRepeat = tools.get(name)?.mayRepeat === true;
    if (started.has(id) && !mayRepeat) return errorResult(id, INTERRUPTED);
    report({ type: "tool-start", id, name, input });
    const tool = admit(tools, use);
    if ("tool_use_id" in tool) return tool;
    const callsBefore = completedCalls(this.#earlier, name);
    const from = { store, conversation, key: key ?? undefined, depth };
    const call: ToolCall = { id, signal, ...from, run: this, callsBefore };
    return insideTool(conversation.id, async () => {
      const refused = tool.permit === undefined ? undefined : await refusal(tool, use, call);
      if (refused !== undefined) return refused;
      if (!mayRepeat) await this.#turn.note({ tool: id });
      return callTool(tool, use, call, limits);
    });
  }

  async #end(state: "finished" | "stopped", message?: MessageInput): Promise<RunResult> {
    await this.#turn.finish(state, message === undefined ? {} : { message });
    return resultOf(this.#setup, this.#turn, this.#earlier);
  }

  /** This process was frozen for longer than its lease. Late writes to the turn are refused, in one way or another. */
  async #isTakenOver(error: unknown): Promise<boolean> {
    if (!(error instanceof ColloquyError) || error.code !== "CONFLICT") return false;
    if (this.#turn.state !== "running") return false;
    const open = await this.#setup.conversation.turn().catch(() => this.#turn);
    return open?.id !== this.#turn.id;
  }

  /** The error is recorded and the partial answer is kept, if the store can. The error itself is thrown. */
  async #keepFailure(error: unknown): Promise<void> {
    const { conversation, model } = this.#setup;
    const { code, message } = asColloquyError(error, "The run failed");
    const failures = this.#failures.length === 0 ? {} : { failures: this.#failures };
    const data = { type: "run-failed", turn: this.#turn.id, model: model.name, code, message, ...failures };
    try {
      await conversation.record(data);
      await this.#turn.finish("interrupted");
    } catch {
      // The store is the problem, or another process has taken over.
    }
  }
}

function isStep({ message }: MessageEntry): boolean {
  return message.role === "assistant" && message.endState !== "interrupted";
}

function completedCalls(entries: readonly MessageEntry[], name: string): number {
  const blocks = entries.flatMap(({ message }) => blocksOf(message));
  const answered = new Set(blocks.filter(isToolResult).map((block) => block.tool_use_id));
  return blocks.filter(isToolUse).filter((use) => use.name === name && answered.has(use.id)).length;
}

/** The message of the run. A retry with another one is a mistake of the caller. */
function knownMessage(
  entries: readonly MessageEntry[],
  input: MessageInput | undefined,
): MessageEntry | undefined {
  const known = entries.find(({ message }) => isRealUser(message));
  if (input === undefined || known === undefined) return known;
  if (isDeepStrictEqual(known.message.content, input.content)) return known;
  throw new ColloquyError("CONFLICT", "A run with this operation id was started with another message", {
    field: "operationId",
    details: { entry: known.id },
  });
}

async function resultOf(setup: RunSetup, turn: Turn, earlier: readonly MessageEntry[]): Promise<RunResult> {
  const entries = [...earlier, ...turn.entries];
  const answers = entries.filter(({ message }) => message.role === "assistant");
  // A turn that ended without any text has no answer.
  const answer = turn.entries.find(({ id }) => id === `${turn.id}/end`)?.message;
  const stopReason = turn.state === "stopped" ? "stopped" : (answer?.stopReason ?? "end");
  return {
    ...(await nothingRun(setup, await turn.branch())),
    model: answers.at(-1)?.message.model ?? setup.model.name,
    reply: answer === undefined ? "" : textOf(answer),
    entries: entries.map(({ id }) => id),
    usage: usageOfEntries(answers),
    stopReason: stopReason as RunStopReason,
  };
}

/** The result of a run that was stopped before its turn came, on the checked-out branch. */
async function nothingRun({ conversation, key, model }: RunSetup, known?: string): Promise<RunResult> {
  const branch = known ?? (await conversation.branches()).find(({ active }) => active)?.name ?? "main";
  const empty = { reply: "", entries: [], usage: NO_USAGE, stopReason: "stopped" } as const;
  return { key, conversation: conversation.id, branch, model: model.name, ...empty };
}
