/** Answers that others write, such as a chat in a terminal or a channel: seen by those who watch the conversation. */
import { setTimeout as sleep } from "node:timers/promises";
import { NO_USAGE } from "../../agent/loop/usage.ts";
import { asColloquyError, type ColloquyError } from "../../errors.ts";
import type { Entry } from "../../message/types.ts";
import type { Conversation } from "../../store/conversation.ts";
import type { Store } from "../../store/store.ts";
import type { TurnUnderWay } from "../../store/turns/turn-end.ts";
import type { RunningAnswer } from "../wire/frames.ts";
import type { Publish } from "./publish.ts";
import { RunView } from "./run-view.ts";

export interface FollowersOptions {
  readonly store: Store;
  readonly publish: (conversation: string) => Publish;
  /** Whether anybody watches. */
  readonly isWanted: (conversation: string) => boolean;
  /** The run of this gateway in a conversation, which reports by itself. */
  readonly ownRun: (conversation: string) => string | undefined;
  readonly onRunning: (conversation: string) => void;
  readonly onProblem: (problem: ColloquyError) => void;
}

/** A turn begins soon after somebody has written: it is looked for while there is no answer, ever more slowly. */
const LOOK_MS = 100;
const LOOK_MAX_MS = 1000;
const SLOWER = 1.2;
const LOOK_FOR_MS = 60_000;

export class Followers {
  readonly #options: FollowersOptions;
  /** Until when to look for a turn. */
  readonly #watched = new Map<string, number>();
  readonly #views = new Map<string, RunView>();
  readonly #end = new AbortController();
  readonly #watching = new Set<Promise<void>>();

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  isRunning(conversation: string): boolean {
    return this.#views.has(conversation);
  }

  running(conversation: string): RunningAnswer | null {
    return this.#views.get(conversation)?.snapshot() ?? null;
  }

  /** An answer may be written now, or soon. */
  look(conversation: string): void {
    const isWatched = this.#watched.has(conversation);
    this.#watched.set(conversation, performance.now() + LOOK_FOR_MS);
    if (isWatched || this.#end.signal.aborted) return;
    const watching = this.#watch(conversation)
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted)
          this.#options.onProblem(asColloquyError(error, `Cannot follow conversation ${conversation}`));
      })
      .finally(() => {
        this.#watched.delete(conversation);
        this.#watching.delete(watching);
      });
    this.#watching.add(watching);
  }

  entered(conversation: string, entries: readonly Entry[]): void {
    const view = this.#views.get(conversation);
    if (view !== undefined) for (const entry of entries) view.entered(entry);
    else if (
      this.#options.isWanted(conversation) &&
      entries.some(({ message }) => message?.role === "user")
    ) {
      this.look(conversation);
    }
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#watching);
  }

  async #watch(id: string): Promise<void> {
    const { store, isWanted, ownRun } = this.#options;
    const { signal } = this.#end;
    const conversation = await store.get(id);
    if (conversation === undefined) return;
    let pauseMs = LOOK_MS;
    while (!signal.aborted && isWanted(id) && performance.now() < (this.#watched.get(id) ?? 0)) {
      const turn = await conversation.turn();
      if (turn !== undefined && ownRun(id) !== runOf(turn)) {
        await this.#follow(conversation, turn);
        pauseMs = LOOK_MS;
      } else if (turn === undefined && !(await isUnanswered(conversation))) return;
      else {
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * SLOWER, LOOK_MAX_MS);
      }
    }
  }

  async #follow(conversation: Conversation, turn: TurnUnderWay): Promise<void> {
    const { store, publish, isWanted, onRunning } = this.#options;
    const { id } = conversation;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#end.signal]);
    const view = new RunView({
      run: runOf(turn),
      entry: null,
      model: turn.model ?? "",
      publish: publish(id),
      redaction: store.redaction,
    });
    this.#views.set(id, view);
    onRunning(id);
    let step = 1;
    view.onEvent({ type: "step", step });
    let end: { readonly entries: readonly string[]; readonly isStopped: boolean } | undefined;
    try {
      for await (const event of conversation.follow({ signal })) {
        if (!isWanted(id)) stop.abort();
        if (event.type === "text") view.onEvent({ type: "text", text: event.text });
        else if (event.type === "part") {
          view.endStep();
          view.onEvent({ type: "step", step: ++step });
        } else {
          end = {
            entries: event.entry === undefined ? [] : [event.entry.id],
            isStopped: event.state !== "finished",
          };
        }
      }
      // The watchers have left, or the gateway is closing: the answer continues without them.
      if (end === undefined) return;
      const { entries, isStopped } = end;
      await view.done({ stopReason: isStopped ? "stopped" : "end", entries, usage: NO_USAGE });
    } finally {
      this.#views.delete(id);
      onRunning(id);
    }
  }
}

async function isUnanswered(conversation: Conversation): Promise<boolean> {
  const [last] = (await conversation.messages({ last: 1, blobs: "references" })).items;
  return last?.message.role === "user";
}

function runOf({ id }: TurnUnderWay): string {
  return id.replace(/~[0-9]+$/, "");
}
