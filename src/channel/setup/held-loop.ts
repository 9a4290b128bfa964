import { AgentLoop, type AgentOptions } from "../../agent/index.ts";

/** A loop that keeps what its tools need open until it is closed. */
export class HeldLoop extends AgentLoop {
  readonly #release: () => Promise<void>;

  constructor(options: AgentOptions, release: () => Promise<void>) {
    super(options);
    this.#release = release;
  }

  override async close(): Promise<void> {
    try {
      await super.close();
    } finally {
      await this.#release();
    }
  }
}
