/** When tokens and sign-ins were last used, for people who look at them. Written once a minute, and may be lost. */
import type { RecordChanges } from "./changes/changes.ts";

const FLUSH_MS = 60_000;

export class LastUsed {
  readonly #changes: RecordChanges;
  readonly #used = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(changes: RecordChanges) {
    this.#changes = changes;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_MS).unref();
  }

  note(tokenId: string, nowMs: number): void {
    this.#used.set(tokenId, nowMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used.clear();
    // After a failure, the next request notes it again.
    await this.#changes.make("noteUsed", used).catch(() => {});
  }
}
