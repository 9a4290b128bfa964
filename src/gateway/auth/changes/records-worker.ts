/** One life of the thread that changes the records. */
import { Worker } from "node:worker_threads";
import { type ColloquyError, unavailable } from "../../../errors.ts";
import { reviveError } from "../../../store/worker/worker-protocol.ts";
import type { ChangeReply, ChangeRequest } from "./records-thread.ts";

/** The same file name in the sources and, compiled, in the package. */
const SCRIPT = new URL(
  import.meta.url.endsWith(".ts") ? "./records-thread.ts" : "./records-thread.js",
  import.meta.url,
);

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export class RecordsWorker {
  /** Rejects with the reason if the records cannot be opened. */
  readonly ready: Promise<void>;
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<void>;
  #next = 0;
  #failure: ColloquyError | undefined;
  #isClosing = false;

  constructor(stateDir: string, onEnded: (failure: ColloquyError) => void) {
    this.#thread = new Worker(SCRIPT, { workerData: { stateDir } });
    this.ready = this.#reply();
    // Those who wait for a change learn it too.
    this.ready.catch(() => {});
    this.#thread.on("message", (reply: ChangeReply) => this.#settle(reply));
    this.#ended = new Promise<void>((resolve) => {
      this.#thread.on("error", (error) => this.#fail(ended(error)));
      this.#thread.on("exit", () => {
        onEnded(this.#fail(ended()));
        resolve();
      });
    });
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  ask<T>(request: Omit<ChangeRequest, "id">): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = this.#next;
    const reply = this.#reply<T>();
    // A process that is not closed must not end in the middle, nor stay for nothing.
    this.#thread.ref();
    this.#thread.postMessage({ ...request, id } satisfies ChangeRequest);
    return reply;
  }

  /** The process stays until the thread has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === undefined) this.#thread.postMessage(null);
    this.#thread.ref();
    await this.#ended;
  }

  #reply<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(this.#next++, { resolve, reject });
    });
  }

  #settle(reply: ChangeReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0 && !this.#isClosing) this.#thread.unref();
    if (!("error" in reply)) waiting?.resolve(reply.result as never);
    else {
      const error = reviveError(reply.error);
      waiting?.reject(error);
      // Of the opening: the thread ends.
      if (reply.id === 0) this.#fail(error);
    }
  }

  #fail(failure: ColloquyError): ColloquyError {
    this.#failure ??= failure;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
    return this.#failure;
  }
}

function ended(cause?: unknown): ColloquyError {
  const why = cause instanceof Error ? `: ${cause.message}` : "";
  return unavailable(`The thread that changes the access records has ended${why}`, { cause });
}
