/**
 * Works off what a channel has accepted: answers each message, in order within a conversation, and delivers the
 * answers. Conversations are served side by side.
 *
 * All state is in jobs of the store, so another process, or this one after a kill, continues where it was.
 */
import type { ChunkSettings } from "../../agent/chunker/index.ts";
import { asColloquyError, ColloquyError } from "../../errors.ts";
import type { DeliveryAddress } from "../../key/index.ts";
import type { Conversation } from "../../store/conversation.ts";
import { type ChannelQueues, channelQueues } from "../../store/jobs/channel-queues.ts";
import type { Job } from "../../store/jobs/jobs.ts";
import type { Store } from "../../store/store.ts";
import { defined, type JsonObject } from "../../util/json.ts";
import { type Clock, systemClock } from "../../util/time.ts";
import type { Channel } from "../channel.ts";
import type { InboxData } from "./accept.ts";
import { deliver, isDue, type OutboxData } from "./delivery.ts";
import { isReady, putReply } from "./inbox-job.ts";
import { isGone } from "./job-names.ts";
import { NO_ANSWER, noticeOf } from "./notices.ts";
import { isHeld, withLease } from "./with-lease.ts";

/** A message that was accepted. */
export interface Question {
  readonly conversation: Conversation;
  readonly entryId: string;
  readonly address: DeliveryAddress;
}

/** The id of the message that answers it; `undefined` if there is nothing to say. */
type Answer = (question: Question) => Promise<string | undefined>;

export interface DeskOptions {
  readonly store: Store;
  readonly channel: Pick<Channel, "name" | "accountId" | "send" | "typing" | "download">;
  /** Called again after a kill, with the same id: it must then return the answer that there is. */
  readonly answer: Answer;
  readonly cuts: ChunkSettings;
  readonly onProblem: (problem: ColloquyError) => void;
  /** How many conversations are served at once. Default: 32. */
  readonly parallel?: number | undefined;
  /** How often to look for what other processes have left. Default: 2 s. */
  readonly pollMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

const PARALLEL_DEFAULT = 32;
const POLL_MS_DEFAULT = 2000;
const BUSY_MS = 250;
const TYPING_MS = 8000;

export class MessageDesk {
  readonly #options: DeskOptions;
  readonly #queues: ChannelQueues;
  readonly #nowMs: Clock;
  /** Conversations with something to do, in order. */
  readonly #waiting = new Set<string>();
  readonly #serving = new Map<string, Promise<void>>();
  /** Those that got something to do while they were served. */
  readonly #again = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#nowMs = options.clock ?? systemClock;
    this.#queues = channelQueues(options.channel.name, options.channel.accountId);
  }

  /** Take up what is open, now and from time to time. */
  async start(): Promise<void> {
    await this.#look();
    this.#timers.add(setInterval(() => void this.#look(), this.#options.pollMs ?? POLL_MS_DEFAULT));
  }

  /** There is something to do in a conversation. */
  serve(conversation: string): void {
    if (this.#isClosed) return;
    if (this.#serving.has(conversation)) this.#again.add(conversation);
    else this.#waiting.add(conversation);
    this.#next();
  }

  /** Stop, and wait at most this long for answers that are being written. What is left is taken up again. */
  async close(graceMs = 10_000): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const { promise, resolve } = Promise.withResolvers<void>();
    const limit = setTimeout(resolve, graceMs);
    await Promise.race([Promise.all(this.#serving.values()), promise]);
    clearTimeout(limit);
  }

  async #look(): Promise<void> {
    try {
      for (const queue of [this.#queues.outbox, this.#queues.inbox]) {
        for await (const job of this.#options.store.jobs.list({ queue })) {
          if (job.conversation !== null && isDue(job, this.#nowMs())) this.serve(job.conversation);
        }
      }
    } catch (error) {
      if (!this.#isClosed) this.#options.onProblem(asColloquyError(error, "Cannot read the inbox"));
    }
  }

  #next(): void {
    const { parallel = PARALLEL_DEFAULT } = this.#options;
    for (const conversation of this.#waiting) {
      if (this.#serving.size >= parallel) return;
      this.#waiting.delete(conversation);
      const served = this.#serve(conversation).finally(() => {
        this.#serving.delete(conversation);
        if (this.#again.delete(conversation)) this.#waiting.add(conversation);
        if (!this.#isClosed) this.#next();
      });
      this.#serving.set(conversation, served);
    }
  }

  async #serve(conversation: string): Promise<void> {
    try {
      const chat = await this.#options.store.get(conversation);
      // In the trash: it may be restored.
      if (chat === undefined) return;
      while (!this.#isClosed && (await this.#step(chat)));
    } catch (error) {
      if (this.#isClosed) return;
      if (isHeld(error)) this.#later(conversation);
      else if (isGone(error)) this.#again.add(conversation);
      else this.#options.onProblem(asColloquyError(error, "Cannot answer a message"));
    }
  }

  /** One thing after the other: first what is to be delivered. Returns whether there may be more to do. */
  async #step(chat: Conversation): Promise<boolean> {
    const { store } = this.#options;
    const first = async (queue: string): Promise<Job | undefined> =>
      (await store.jobs.list({ queue, conversation: chat.id, limit: 1 })).items[0];
    const reply = await first(this.#queues.outbox);
    if (reply !== undefined && isDue(reply, this.#nowMs())) {
      const delivered = await withLease(chat, () => this.#deliver(chat, reply));
      if (delivered === undefined) this.#later(chat.id);
      return delivered !== undefined;
    }
    const question = await first(this.#queues.inbox);
    // An answer must not overtake the one before it, but it can be written.
    return question !== undefined && (await this.#answer(chat, question));
  }

  /** Another process may have delivered it before this one got the lease. */
  async #deliver(chat: Conversation, { queue, id }: Job): Promise<boolean> {
    const { store, channel, onProblem } = this.#options;
    const job = await store.jobs.get(queue, id);
    if (job === undefined) return true;
    const options = { store, channel, failedQueue: this.#queues.failed, onProblem, nowMs: this.#nowMs };
    return deliver(options, chat, job);
  }

  async #answer(chat: Conversation, job: Job): Promise<boolean> {
    const { entry, address, messageId } = job.data as JsonObject & InboxData;
    // Nothing is done here that another process is doing: the loop would wait for it. And a message that was being
    // written when its job was seen is there once the lease is.
    const ready = await withLease(chat, () => isReady(this.#options, chat, job));
    if (ready === undefined) throw busy(chat.id);
    if (!ready) return true;
    const typing = this.#type(address);
    let said: Pick<OutboxData, "entry" | "notice">;
    try {
      const id = await this.#options.answer({ conversation: chat, entryId: entry, address });
      said = id === undefined ? { notice: NO_ANSWER } : { entry: id };
    } catch (error) {
      if (this.#isClosed || isHeld(error)) throw error;
      said = { notice: noticeOf(error) };
      this.#options.onProblem(asColloquyError(error, "Cannot answer a message"));
    } finally {
      clearInterval(typing);
    }
    const cuts = { ...defined(this.#options.cuts) };
    const reply = { ...said, address: { ...address }, replyTo: messageId, cuts };
    await putReply(this.#options.store, this.#queues.outbox, chat, job, reply);
    return true;
  }

  #type(address: DeliveryAddress): NodeJS.Timeout {
    const type = (): void => void this.#options.channel.typing?.(address).catch(() => {});
    type();
    return setInterval(type, TYPING_MS).unref();
  }

  #later(conversation: string): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.serve(conversation);
    }, BUSY_MS);
    this.#timers.add(timer);
  }
}

function busy(conversation: string): ColloquyError {
  return new ColloquyError("CONFLICT", `Another process answers in conversation ${conversation}`, {
    field: "lease",
  });
}
