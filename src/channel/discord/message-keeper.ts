import { setTimeout as sleep } from "node:timers/promises";
import type { ChannelEvents, ChannelMessage } from "../channel.ts";
import { discordFailure } from "./failure.ts";

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;

/** Passes messages on until they are kept, those of one place in order: Discord does not send them again. */
export class MessageKeeper {
  readonly #signal: AbortSignal;
  /** The last message of each place that is being kept. */
  readonly #keeping = new Map<string, Promise<void>>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Keep a message after those before it in the same place, however long that takes. */
  keep(events: ChannelEvents, place: string, read: () => Promise<ChannelMessage | undefined>): void {
    const before = this.#keeping.get(place) ?? Promise.resolve();
    const kept = before.then(() => this.#keep(events, read));
    this.#keeping.set(place, kept);
    void kept.finally(() => {
      if (this.#keeping.get(place) === kept) this.#keeping.delete(place);
    });
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#keeping.values());
  }

  async #keep(events: ChannelEvents, read: () => Promise<ChannelMessage | undefined>): Promise<void> {
    const signal = this.#signal;
    for (let waitMs = RETRY_MIN_MS; !signal.aborted; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      try {
        const message = await read();
        if (message !== undefined) await events.onMessage(message);
        return;
      } catch (error) {
        events.onProblem(discordFailure(error));
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  }
}
