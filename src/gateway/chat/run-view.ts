/** What those who watch a conversation see of a run: events while it lasts, and all of it for those who come later. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, RunResult } from "../../agent/index.ts";
import type { ColloquyError } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type { Redaction } from "../../store/write/redaction.ts";
import { httpError } from "../http/http-error.ts";
import type { ApprovalQuestion, RunningAnswer } from "../wire/frames.ts";
import type { Publish } from "./publish.ts";
import { RunText } from "./run-text.ts";
import { RunTools, shortened } from "./run-tools.ts";

/** An entry of the run is announced before the event that says so. If the feed fails, that must not stop the run. */
const FEED_MS = 1000;

export interface RunViewOptions {
  readonly run: string;
  /** The message that is answered, if it is known. */
  readonly entry: string | null;
  readonly model: string;
  readonly publish: Publish;
  /** That of the store: what is not stored is not shown either. */
  readonly redaction: Redaction | undefined;
}

export class RunView {
  readonly run: string;
  readonly #publish: Publish;
  readonly #model: string;
  readonly #entry: string | null;
  readonly #text: RunText;
  readonly #tools: RunTools;
  readonly #questions = new Map<string, ApprovalQuestion>();
  #isStarted = false;
  #step = 0;
  /** Steps of this run that the feed has announced, and its end. */
  #announced = 0;
  #stepsEnded = 0;
  #isEnded = false;
  #onAnnounced: (() => void) | undefined;
  #last: Promise<void> | undefined;

  constructor({ run, entry, model, publish, redaction }: RunViewOptions) {
    this.run = run;
    this.#entry = entry;
    this.#model = model;
    this.#publish = publish;
    this.#text = new RunText(run, publish, redaction);
    this.#tools = new RunTools(redaction);
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  readonly onEvent = (event: AgentEvent): void => this.#inOrder(() => this.#take(event));

  /** An entry of the conversation was announced. */
  entered({ operationId = "", message }: Entry): void {
    const [, step] = partsOf(this.run, operationId);
    if (step === undefined) return;
    if (step === "end") this.#isEnded = true;
    else if (message?.role === "assistant") this.#announced++;
    this.#onAnnounced?.();
  }

  asked(question: ApprovalQuestion): void {
    this.#inOrder(() => {
      this.#text.flush();
      this.#questions.set(question.id, question);
      this.#publish("chat.approval", { run: this.run, question });
    });
  }

  answered(id: string, allow: boolean): void {
    this.#inOrder(() => {
      if (this.#questions.delete(id)) this.#publish("chat.approved", { run: this.run, id, allow });
    });
  }

  /** The text so far became an entry, and the run continues. */
  endStep(): void {
    this.#inOrder(() => this.#endStep());
  }

  /** Everything up to the event that was published last. */
  snapshot(): RunningAnswer {
    const approvals = [...this.#questions.values()];
    return { run: this.run, ...this.#text.shown(), tools: this.#tools.all(), approvals };
  }

  /** A run that never started leaves no event. */
  async done({
    stopReason,
    entries,
    usage,
  }: Pick<RunResult, "stopReason" | "entries" | "usage">): Promise<void> {
    await this.#last;
    if (!this.#isStarted) return;
    this.#text.complete();
    await this.#announcedAfter(() => this.#isEnded);
    this.#text.end();
    const state = stopReason === "stopped" ? "stopped" : "finished";
    this.#publish("chat.done", { run: this.run, state, entries, usage: { ...usage } });
  }

  async failed(error: ColloquyError): Promise<void> {
    await this.#last;
    this.#text.complete();
    if (this.#isStarted) await this.#announcedAfter(() => this.#isEnded);
    this.#text.end();
    this.#publish("chat.failed", { run: this.run, error: httpError(error).body.error });
  }

  /** One after the other, also when one has to wait for its entry. */
  #inOrder(work: () => Promise<void> | void): void {
    const waits = this.#last === undefined ? work() : this.#last.then(work);
    if (waits === undefined) return;
    const last = waits.finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }

  /** Returns a promise if the next event must wait. */
  #take(event: AgentEvent): Promise<void> | void {
    switch (event.type) {
      case "step":
        return this.#stepStarts(event.step);
      case "text":
        return this.#text.add(event.text);
      case "thinking":
        return this.#text.addThinking(event.text);
      case "tool-start":
        // The calls of a step follow each other: only the first ends its text.
        return this.#step === 0
          ? this.#toolStarts(event)
          : this.#endStep().then(() => this.#toolStarts(event));
      case "tool-end":
        return this.#publish("chat.tool", { run: this.run, tool: this.#tools.end(event) });
      case "failure":
        return this.#notice(`${event.model} failed: ${event.error.message}. Another one is asked.`);
      case "compaction":
        return this.#notice(COMPACTION[event.state]);
    }
  }

  #stepStarts(step: number): void {
    const { run } = this;
    if (!this.#isStarted) this.#publish("chat.started", { run, entry: this.#entry, model: this.#model });
    this.#isStarted = true;
    this.#step = step;
  }

  async #endStep(): Promise<void> {
    const step = this.#step;
    this.#step = 0;
    const count = ++this.#stepsEnded;
    this.#text.complete();
    await this.#announcedAfter(() => this.#announced >= count);
    this.#text.end();
    this.#publish("chat.step", { run: this.run, step });
  }

  #toolStarts(event: Extract<AgentEvent, { type: "tool-start" }>): void {
    this.#publish("chat.tool", { run: this.run, tool: this.#tools.start(event) });
  }

  #notice(text: string): void {
    this.#text.flush();
    this.#publish("chat.notice", { run: this.run, text: shortened(text) });
  }

  /** A client that drops the streamed text must have the entry that replaces it. */
  async #announcedAfter(condition: () => boolean): Promise<void> {
    const limit = new AbortController();
    const late = sleep(FEED_MS, undefined, { signal: limit.signal }).catch(() => {});
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onAnnounced = () => {
      if (condition()) resolve();
    };
    this.#onAnnounced();
    await Promise.race([promise, late]);
    limit.abort();
    this.#onAnnounced = undefined;
  }
}

const COMPACTION = {
  started: "The conversation is nearly as long as the model can read: its beginning is being summarised.",
  done: "The beginning of the conversation was summarised.",
  failed: "The beginning of the conversation could not be summarised; the answer uses what fits.",
} as const;

/** The run and the step of an entry that a run wrote. */
function partsOf(run: string, operationId: string): [turn: string, step: string | undefined] {
  const slash = operationId.lastIndexOf("/");
  const turn = operationId.slice(0, slash);
  const isOwn =
    slash > 0 && (turn === run || /^~\d+$/.test(turn.startsWith(run) ? turn.slice(run.length) : ""));
  return [turn, isOwn ? operationId.slice(slash + 1) : undefined];
}
