import type { Store } from "../../store/store.ts";
import { isoTime } from "../../util/time.ts";
import type { ChannelMessage } from "../channel.ts";
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

  /** Whether this process is the one to carry it out. */
  async isFirst({ id, at = isoTime(0) }: ChannelMessage): Promise<boolean> {
    const mark = { queue: this.#queue, id: operationIdOf(this.#channel, id), at };
    const { changed } = await this.#store.jobs.change({ put: [mark] });
    return changed > 0;
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
