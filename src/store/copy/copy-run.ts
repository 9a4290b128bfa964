/** The progress of a copy or a migration of many conversations. */

import type { Finding } from "../../engine/index.ts";
import { ColloquyError } from "../../errors.ts";
import { sha256Hex } from "../../util/sha256.ts";
import type { CopyItem, CopyOptions, CopyProgress, CopyReport, CopySkip } from "./copy-store.ts";

export class CopyRun {
  readonly items: CopyItem[] = [];
  readonly skipped: CopySkip[] = [];
  readonly #options: CopyOptions;
  /** The participle for a finished conversation, for the message of a stopped run. */
  readonly #done: "copied" | "migrated";
  #progress: CopyProgress = { conversations: 0, total: 0, entries: 0 };

  constructor(options: CopyOptions, done: "copied" | "migrated") {
    this.#options = options;
    this.#done = done;
  }

  /** Works on one conversation after another, until the signal stops it. */
  async each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
    this.#tell({ total: all.length });
    for (const one of all) {
      this.checkStop();
      await work(one);
      this.#tell({ conversations: this.#progress.conversations + 1 });
    }
  }

  addEntries(count: number): void {
    this.#tell({ entries: this.#progress.entries + count });
  }

  /** Content that the source can no longer read. */
  addDamage({ code, conversation, source, line, message }: Finding, key: string | null): void {
    const place = source === null ? "" : ` (${source}${line === null ? "" : `, line ${line}`})`;
    this.skipped.push({ conversation, key, code: "DAMAGED", reason: `${code}: ${message}${place}` });
  }

  checkStop(): void {
    if (!this.#options.signal?.aborted) return;
    const { conversations, total } = this.#progress;
    throw new ColloquyError(
      "SERVICE_UNAVAILABLE",
      `Stopped: ${conversations} of ${total} conversations are ${this.#done}. Run it again to continue`,
      { details: { conversations, total } },
    );
  }

  report(): CopyReport {
    const { items, skipped } = this;
    return {
      conversations: items.length,
      entries: items.reduce((sum, { entries }) => sum + entries, 0),
      verified: items.every(({ verified }) => verified),
      hash: overallHash(items),
      skipped,
      items,
    };
  }

  #tell(changed: Partial<CopyProgress>): void {
    this.#progress = { ...this.#progress, ...changed };
    this.#options.onProgress?.(this.#progress);
  }
}

/** One hash for many conversations, independent of their order. */
function overallHash(items: readonly Pick<CopyItem, "id" | "hash">[]): string {
  const sums = items.map(({ id, hash }) => `${id} ${hash}\n`).sort();
  return sha256Hex(sums.join(""));
}
