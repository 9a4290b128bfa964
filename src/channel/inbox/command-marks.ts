import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../store/store.ts";
import { isoTime } from "../../util/time.ts";
import type { ChannelMessage } from "../channel.ts";
import type { ChatCommand } from "../commands/chat-commands.ts";
import { type ChannelName, operationIdOf } from "./accept.ts";

const WEEK_MS = 7 * 86_400_000;
/** Of messages whose channel reports no time. */
const UNKNOWN_TIME: string = isoTime(0);
/** Commands take less. One that has not ended by then was begun by a process that died. */
const TAKEOVER_MS = 5000;
const LOOK_MS = 100;

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

  /** Carry out a command, unless a process has. One that fails, or whose process dies, may be tried again. */
  async once<T>(
    { id, at = UNKNOWN_TIME }: ChannelMessage,
    key: string,
    { name }: Pick<ChatCommand, "name">,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    const begun = { queue: this.#queue, id: operationIdOf(this.#channel, id) };
    const ended = { ...begun, id: `${begun.id}+ended` };
    const { changed } = await this.#store.jobs.change({ put: [{ ...begun, at, data: { key, name } }] });
    if (changed === 0 && (await this.#ends(ended))) return undefined;
    try {
      const result = await work();
      await this.#store.jobs.change({ put: [{ ...ended, at, data: {} }] });
      return result;
    } catch (error) {
      await this.#store.jobs.change({ remove: [begun] });
      throw error;
    }
  }

  /** Whether a message was a command, or an answer, that a process has begun to carry out. */
  async has({ id }: ChannelMessage): Promise<boolean> {
    return (await this.#store.jobs.get(this.#queue, operationIdOf(this.#channel, id))) !== undefined;
  }

  /** Whether a command that was begun has ended, or does so soon. */
  async #ends({ queue, id }: { readonly queue: string; readonly id: string }): Promise<boolean> {
    for (const endMs = performance.now() + TAKEOVER_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
      if ((await this.#store.jobs.get(queue, id)) !== undefined) return true;
    }
    return false;
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

  /** No platform sends an event again after a day, and nothing older is asked for. */
  async forgetOld(nowMs: number): Promise<void> {
    const before = isoTime(nowMs - WEEK_MS);
    for await (const { queue, id, at } of this.#store.jobs.list({ queue: this.#queue })) {
      if (at >= before) return;
      if (at === UNKNOWN_TIME) continue;
      await this.#store.jobs.change({ remove: [{ queue, id }] });
    }
  }
}
