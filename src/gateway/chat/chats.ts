/** The answers that are being written: one at a time in each conversation. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentLoop, Approve, RunOptions, RunResult } from "../../agent/index.ts";
import { asColloquyError, type ColloquyError, unavailable } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Redaction } from "../../store/write/redaction.ts";
import type { RunningAnswer, WaitingMessage } from "../wire/frames.ts";
import { Approvals } from "./approvals.ts";
import { modelOf, type NamesModels } from "./model-of.ts";
import type { Publish } from "./publish.ts";
import { RunView } from "./run-view.ts";

/** What ignores its signal, such as a server that does not start, is left behind after this. Its turn stays open, and is marked later. */
const STOP_MS = 5000;

/** What answers in a session, as the config says. `AgentSetup` is one. */
export interface ChatAgent extends NamesModels {
  loop(session: {
    readonly key: string;
    readonly conversation: Conversation;
    readonly asked?: string | undefined;
    readonly approve?: Approve | undefined;
  }): Promise<AgentLoop>;
  record(key: string, conversation: Conversation): Promise<void>;
}

interface ChatPlace {
  /** The session key of the conversation; empty if it has none. */
  readonly key: string;
  /** Whether tools may look things up in other conversations. */
  readonly lookup: "all" | "session";
}

export interface ChatsOptions {
  readonly agentFor: (place: ChatPlace) => Promise<ChatAgent>;
  readonly publish: (conversation: string) => Publish;
  /** That of the store. */
  readonly redaction: Redaction | undefined;
  /** An answer has begun or ended. */
  readonly onRunning: (conversation: string) => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** One answer to write. */
export interface ChatOrder {
  /** Unique in its conversation. An order that is known already is not repeated. */
  readonly run: string;
  readonly conversation: Conversation;
  /** The message that is answered. */
  readonly entry: string | null;
  readonly lookup: ChatPlace["lookup"];
  /** Instead of the model of the conversation. */
  readonly model: string | undefined;
  /** Those of a message that is not in the conversation before `prepare`. */
  readonly words?: string | undefined;
  /** When its turn comes, and also if it is stopped before. `false`: there is nothing to answer. */
  readonly prepare?: (() => Promise<boolean>) | undefined;
  readonly work: (loop: AgentLoop, options: RunOptions) => Promise<RunResult | undefined>;
}

interface Run extends ChatOrder {
  readonly stop: AbortController;
  view: RunView | undefined;
  isPrepared: boolean;
  /** Its last event is about to be sent, or was. */
  isOver: boolean;
}

export class Chats {
  readonly approvals: Approvals;
  readonly #options: ChatsOptions;
  /** By conversation; the first one runs. */
  readonly #queues = new Map<string, Run[]>();
  readonly #performing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: ChatsOptions) {
    this.#options = options;
    this.approvals = new Approvals(options.redaction);
  }

  isRunning(conversation: string): boolean {
    return this.#queues.has(conversation);
  }

  /** The answer that is being written. */
  running(conversation: string): RunningAnswer | null {
    return this.#queues.get(conversation)?.[0]?.view?.snapshot() ?? null;
  }

  /** The messages that join the conversation when their turn comes. */
  waiting(conversation: string): WaitingMessage[] {
    const { redaction } = this.#options;
    const queue = this.#queues.get(conversation) ?? [];
    return queue.flatMap(({ run, words, isPrepared }) =>
      words === undefined || isPrepared ? [] : [{ entry: run, text: redaction?.value(words) ?? words }],
    );
  }

  /** Tell those who watch a conversation that a message waits in it. */
  announceWaiting(conversation: string, entry: string): void {
    const message = this.waiting(conversation).find((one) => one.entry === entry);
    if (message !== undefined) this.#options.publish(conversation)("chat.waiting", message);
  }

  /** The run that is first in a conversation. One whose end was told can be ordered again. */
  firstRun(conversation: string): string | undefined {
    return this.#queues.get(conversation)?.find(({ isOver }) => !isOver)?.run;
  }

  assertOpen(): void {
    if (this.#isClosed) throw unavailable("The gateway is stopping. Send it again in a moment");
  }

  /** Write an answer, after those that were ordered before. */
  order(order: ChatOrder): void {
    this.assertOpen();
    const { id } = order.conversation;
    const queue = this.#queues.get(id) ?? [];
    if (queue.some(({ run, isOver }) => run === order.run && !isOver)) return;
    queue.push({ ...order, stop: new AbortController(), view: undefined, isPrepared: false, isOver: false });
    this.#queues.set(id, queue);
    if (queue.length === 1) this.#next(id);
  }

  /** Everything that is ordered in a conversation ends, if `run` is first or not given. What was streamed is kept. */
  stop(conversation: string, run?: string): boolean {
    if (run !== undefined && run !== this.firstRun(conversation)) return false;
    const runs = (this.#queues.get(conversation) ?? []).filter(({ isOver }) => !isOver);
    for (const { stop } of runs) stop.abort();
    return runs.length > 0;
  }

  /** Entries of a conversation were announced. */
  entered(conversation: string, entries: readonly Entry[]): void {
    const view = this.#queues.get(conversation)?.[0]?.view;
    if (view !== undefined) for (const entry of entries) view.entered(entry);
  }

  /** Answers have `graceMs` to end by themselves. Then they are stopped, which keeps and marks their text. */
  async close(graceMs: number, stopMs: number = STOP_MS): Promise<void> {
    this.#isClosed = true;
    if (await this.#ended(graceMs)) return;
    for (const conversation of this.#queues.keys()) this.stop(conversation);
    await this.#ended(stopMs);
  }

  /** Whether all answers end within this time. */
  async #ended(ms: number): Promise<boolean> {
    const limit = new AbortController();
    const late = sleep(ms, false, { signal: limit.signal }).catch(() => false);
    const all = async (): Promise<boolean> => {
      while (this.#performing.size > 0) await Promise.all(this.#performing);
      return true;
    };
    const isEnded = await Promise.race([all(), late]);
    limit.abort();
    return isEnded;
  }

  #next(conversation: string): void {
    const run = this.#queues.get(conversation)?.[0];
    if (run === undefined) this.#queues.delete(conversation);
    else {
      const performing = this.#perform(run).finally(() => {
        this.#queues.get(conversation)?.shift();
        this.#performing.delete(performing);
        this.#next(conversation);
      });
      this.#performing.add(performing);
    }
    this.#options.onRunning(conversation);
  }

  async #perform(run: Run): Promise<void> {
    const { conversation, entry, lookup, stop, work } = run;
    const publish = this.#options.publish(conversation.id);
    const { redaction } = this.#options;
    const viewOf = (model: string): RunView =>
      new RunView({ run: run.run, entry, model, publish, redaction });
    try {
      if ((await run.prepare?.()) === false) {
        run.isOver = true;
        return;
      }
      run.isPrepared = true;
      const info = await conversation.info();
      const { key } = info;
      const agent = await this.#options.agentFor({ key: key ?? "", lookup });
      const asked = modelOf(agent, info, run.model);
      const view = viewOf(asked);
      run.view = view;
      const approve: Approve = (request) => this.approvals.ask(view, request);
      await using loop = await agent.loop({ key: key ?? "", conversation, asked, approve });
      const result = await work(loop, { signal: stop.signal, onEvent: view.onEvent });
      run.isOver = true;
      if (result === undefined) return;
      await view.done(result);
      if (view.isStarted && key !== null) await this.#record(agent, key, conversation);
    } catch (error) {
      const known = asColloquyError(error, "The answer failed");
      const view = run.view ?? viewOf(run.model ?? "");
      run.isOver = true;
      await view.failed(known);
      // The rest is told to those who watch.
      if (known.code === "INTERNAL_ERROR") this.#options.onProblem(known);
    }
  }

  /** The answer is stored; the session index is a view of the store. */
  async #record(agent: ChatAgent, key: string, conversation: Conversation): Promise<void> {
    try {
      await agent.record(key, conversation);
    } catch (error) {
      this.#options.onProblem(asColloquyError(error, "Cannot write the session index"));
    }
  }
}
