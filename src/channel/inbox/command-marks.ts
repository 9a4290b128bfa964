import type { Store } from "../../store/store.ts";
import { isoTime } from "../../util/time.ts";
import type { ChannelMessage } from "../channel.ts";
import type { ChatCommand } from "../commands/chat-commands.ts";
import { type ChannelName, operationIdOf } from "./accept.ts";

const DAY_MS = 86_400_000;

/** Commands that were carried out: one that comes again, or to another process too, must not be. */
export class CommandMarks {
  readonly #store: Store;
  readonly #channel: ChannelName;
  readonly #queue: string;

  constructor(store: Store, channel: ChannelName) {
    this.#store = store;
    this.#channel = channel;
    this.#queue = `commands:${channel.name}:${channel.accountId}`;
  }

  /** Carry out a command, unless a process has. One that fails may be tried again. */
  async once<T>(
    { id, at = isoTime(0) }: ChannelMessage,
    key: string,
    { name }: ChatCommand,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const mark = { queue: this.#queue, id: operationIdOf(this.#channel, id) };
    const { changed } = await this.#store.jobs.change({ put: [{ ...mark, at, data: { key, name } }] });
    if (changed === 0) return undefined;
    try {
      return await work();
    } catch (error) {
      await this.#store.jobs.change({ remove: [mark] });
      throw error;
    }
  }

  /** Whether a message is one of those that its session has cleared: it may come again. */
  async isCleared({ at }: ChannelMessage, key: string): Promise<boolean> {
    if (at === undefined) return false;
    for await (const { at: clearedAt, data } of this.#store.jobs.list({ queue: this.#queue })) {
      // What was written in the same second may have come after it.
      if (data.name === "clear" && data.key === key && Date.parse(at) < Date.parse(clearedAt)) return true;
    }
    return false;
  }

  /** No platform sends an event again after a day. */
  async forgetOld(nowMs: number): Promise<void> {
    const before = isoTime(nowMs - DAY_MS);
    for await (const { queue, id, at } of this.#store.jobs.list({ queue: this.#queue })) {
      if (at >= before) return;
      await this.#store.jobs.change({ remove: [{ queue, id }] });
    }
  }
}
