/** Changes of the records in another thread: a disk that does not answer keeps only those waiting who asked for one. */
import { Worker } from "node:worker_threads";
import { unavailable } from "../../../errors.ts";
import { reviveError } from "../../../store/worker/worker-protocol.ts";
import type { Clock } from "../../../util/time.ts";
import type { ChangeArgs, Changed, ChangeName, RecordChanges } from "./changes.ts";
import type { ChangeReply, ChangeRequest } from "./records-thread.ts";

/** The same file name in the sources and, compiled, in the package. */
const SCRIPT = new URL(
  import.meta.url.endsWith(".ts") ? "./records-thread.ts" : "./records-thread.js",
  import.meta.url,
);
/** A stranger can ask for changes. */
const WAITING_MAX = 10_000;

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export class ChangesElsewhere implements RecordChanges {
  readonly #thread: Worker;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ended: Promise<unknown>;
  #next = 0;
  #failure: Error | undefined;

  constructor(stateDir: string, clock: Clock) {
    this.#clock = clock;
    this.#thread = new Worker(SCRIPT, { workerData: { stateDir } });
    this.#thread.unref();
    this.#thread.on("message", (reply: ChangeReply) => this.#settle(reply));
    this.#ended = new Promise<void>((resolve) => {
      this.#thread.on("error", (error) => this.#fail(error));
      this.#thread.on("exit", () => {
        this.#fail(undefined);
        resolve();
      });
    });
  }

  make<Name extends ChangeName>(name: Name, ...args: ChangeArgs<Name>): Promise<Changed<Name>> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) reject(this.#failure);
      else if (this.#waiting.size >= WAITING_MAX) reject(unavailable("Too many logins wait for the disk"));
      else {
        const id = this.#next++;
        this.#waiting.set(id, { resolve, reject });
        // A process that is not closed must not end in the middle, nor stay for nothing.
        this.#thread.ref();
        this.#thread.postMessage({ id, nowMs: this.#clock(), name, args } satisfies ChangeRequest);
      }
    });
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) this.#thread.postMessage(null);
    this.#thread.ref();
    await this.#ended;
  }

  #settle(reply: ChangeReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#thread.unref();
    if ("error" in reply) waiting?.reject(reviveError(reply.error));
    else waiting?.resolve(reply.result as never);
  }

  #fail(cause: unknown): void {
    this.#failure ??= unavailable("The thread that changes the access records has ended", { cause });
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
