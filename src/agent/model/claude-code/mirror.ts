/** Brings what Claude Code writes into a store, while it writes. */
import { existsSync } from "node:fs";
import { type Imported, importConversations } from "../../../formats/import/index.ts";
import type { Store } from "../../../store/store.ts";

/** The end of an answer that is still being written is left for the next pass. */
const SETTLE_MS = 15_000;

export class Mirror {
  readonly #store: Store;
  readonly #transcript: string;
  readonly #onNews: (messages: number) => void;
  #running: Promise<void> | undefined;
  #isStale = false;
  #imported: Imported | undefined;

  constructor(store: Store, transcript: string, onNews: (messages: number) => void) {
    this.#store = store;
    this.#transcript = transcript;
    this.#onNews = onNews;
  }

  /** Something was written. One pass at a time; what comes meanwhile is for the next. */
  update(): void {
    this.#isStale = true;
    this.#running ??= this.#passes().finally(() => {
      this.#running = undefined;
    });
  }

  /** Everything that was written. Returns the conversation, if anything was new. */
  async finish(): Promise<Imported | undefined> {
    await this.#running;
    await this.#pass(0);
    return this.#imported;
  }

  async #passes(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      try {
        await this.#pass(SETTLE_MS);
      } catch {
        // The last pass brings everything, or says why it cannot.
      }
    }
  }

  async #pass(settleMs: number): Promise<void> {
    // The transcripts of sub-agents are in a folder of the same name.
    const folder = this.#transcript.replace(/\.jsonl$/, "");
    const paths = existsSync(folder) ? [this.#transcript, folder] : [this.#transcript];
    const report = await importConversations(this.#store, paths, { format: "claude-code", settleMs });
    this.#imported = report.imported.find(({ source }) => source === this.#transcript) ?? this.#imported;
    if (report.messages > 0) this.#onNews(report.messages);
  }
}
