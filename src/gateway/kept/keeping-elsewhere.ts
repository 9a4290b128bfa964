/** Writes the files in another thread: a disk that does not answer stops only that. One order at a time. */
import { Worker } from "node:worker_threads";
import { asColloquyError, unavailable } from "../../errors.ts";
import { flattenError, reviveError } from "../../store/worker/worker-protocol.ts";
import type { Said, Told } from "./files-thread.ts";
import type { IndexesOrder, Keeping, KeepingOptions, ModelsOrder } from "./keep.ts";

/** The same file name in the sources and, compiled, in the package. */
const SCRIPT = new URL(
  import.meta.url.endsWith(".ts") ? "./files-thread.ts" : "./files-thread.js",
  import.meta.url,
);

export class KeepingElsewhere implements Keeping {
  readonly #options: KeepingOptions;
  #thread: Worker | undefined;
  #settle: ((problem: Error | undefined) => void) | undefined;

  constructor(options: KeepingOptions) {
    this.#options = options;
  }

  indexes(order: IndexesOrder): Promise<void> {
    return this.#keep({ indexes: order });
  }

  models(order: ModelsOrder): Promise<void> {
    // The environment of a process cannot be copied to a thread as it is.
    return this.#keep({ models: { ...order, env: { ...order.env } } });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #keep(order: Told): Promise<void> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    return new Promise((resolve, reject) => {
      this.#settle = (problem) => {
        this.#settle = undefined;
        thread.unref();
        if (problem === undefined) resolve();
        else reject(problem);
      };
      thread.ref();
      thread.postMessage(order);
    });
  }

  /** Again after one that has failed. */
  #start(): Worker {
    const thread = new Worker(SCRIPT);
    const ended = (cause?: unknown): void => {
      // An error is followed by the exit, when another thread may have the next order.
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#settle?.(unavailable("The thread that writes the files of the agents has ended", { cause }));
    };
    thread.on("message", (said: Said) => this.#heard(thread, said));
    thread.on("error", ended);
    thread.on("exit", () => ended());
    return thread;
  }

  #heard(thread: Worker, said: Said): void {
    if (this.#thread !== thread) return;
    if ("notice" in said) this.#options.onNotice(said.notice);
    else if ("trash" in said) void this.#list(thread, said.trash);
    else this.#settle?.(said.problem && reviveError(said.problem));
  }

  async #list(thread: Worker, trash: boolean): Promise<void> {
    try {
      const infos = await Array.fromAsync(this.#options.store.list(trash ? { trash } : {}));
      thread.postMessage({ infos } satisfies Told);
    } catch (error) {
      const failed = flattenError(asColloquyError(error, "Cannot list the conversations"));
      thread.postMessage({ failed } satisfies Told);
    }
  }
}
