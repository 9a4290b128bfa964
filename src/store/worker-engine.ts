import { Worker } from "node:worker_threads";
import type {
  ConversationInfo,
  Engine,
  EngineOptions,
  EngineStats,
  EntryPage,
  ListQuery,
  Operation,
  Outcome,
  PageQuery,
  VerifyReport,
} from "../engine/engine.ts";
import { type ColloquyError, unavailable } from "../errors.ts";
import { type Reply, type Request, reviveError } from "./worker-protocol.ts";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ColloquyError) => void;
}

/** Another engine, in a thread of its own. */
export class WorkerEngine implements Engine {
  readonly name: string;
  readonly location: string | null;
  readonly #worker: Worker;
  readonly #waiting: Map<number, Waiting>;
  #next = 1;

  static async open(target: string, options: EngineOptions): Promise<WorkerEngine> {
    const { onProblem, ...plain } = options;
    // The same file name in the sources and, compiled, in the package.
    const script = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
    const worker = new Worker(script, { workerData: { target, options: plain } });
    const waiting = new Map<number, Waiting>();
    const opened = await new Promise<{ name: string; location: string | null }>((resolve, reject) => {
      waiting.set(0, { resolve: resolve as (value: unknown) => void, reject });
      worker.on("message", (reply: Reply) => receive(reply, waiting, onProblem));
      worker.on("error", (error) =>
        failAll(waiting, unavailable(`The worker failed: ${(error as Error).message}`, { cause: error })),
      );
      worker.on("exit", () => failAll(waiting, unavailable("The worker has ended")));
    });
    // A store that nobody closes must not keep the process alive, unless an answer is awaited.
    worker.unref();
    return new WorkerEngine(worker, waiting, opened);
  }

  private constructor(
    worker: Worker,
    waiting: Map<number, Waiting>,
    opened: { name: string; location: string | null },
  ) {
    this.#worker = worker;
    this.#waiting = waiting;
    this.name = opened.name;
    this.location = opened.location;
  }

  async commit(operations: readonly Operation[]): Promise<Outcome[]> {
    const outcomes = await this.#ask<Outcome[]>("commit", operations);
    return outcomes.map((outcome) =>
      outcome.ok ? outcome : { ok: false, error: reviveError(outcome.error) },
    );
  }

  byId(id: string): Promise<ConversationInfo | undefined> {
    return this.#ask("byId", id);
  }

  byKey(key: string): Promise<ConversationInfo | undefined> {
    return this.#ask("byKey", key);
  }

  list(query: ListQuery): Promise<ConversationInfo[]> {
    return this.#ask("list", query);
  }

  page(query: PageQuery): Promise<EntryPage> {
    return this.#ask("page", query);
  }

  locate(conversation: string, entryId: string): Promise<number | undefined> {
    return this.#ask("locate", conversation, entryId);
  }

  verify(): Promise<VerifyReport> {
    return this.#ask("verify");
  }

  stats(): Promise<EngineStats> {
    return this.#ask("stats");
  }

  async close(): Promise<void> {
    await this.#ask("close");
    await this.#worker.terminate();
  }

  #ask<T>(method: Request["method"], ...args: unknown[]): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      const settle = (): void => {
        if (this.#waiting.size === 0) this.#worker.unref();
      };
      this.#waiting.set(id, {
        resolve: (value) => {
          settle();
          resolve(value as T);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#worker.postMessage({ id, method, args } satisfies Request);
    });
  }
}

function receive(
  reply: Reply,
  waiting: Map<number, Waiting>,
  onProblem: (problem: ColloquyError) => void,
): void {
  if ("problem" in reply) {
    onProblem(reviveError(reply.problem));
    return;
  }
  const asked = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("error" in reply) asked?.reject(reviveError(reply.error));
  else asked?.resolve(reply.value);
}

function failAll(waiting: Map<number, Waiting>, error: ColloquyError): void {
  const asked = [...waiting.values()];
  waiting.clear();
  for (const { reject } of asked) reject(error);
}
