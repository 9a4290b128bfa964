import { Worker } from "node:worker_threads";
import type {
  BlobPart,
  Change,
  ConversationInfo,
  Counts,
  Engine,
  EngineOptions,
  EngineStats,
  EngineSupports,
  EntryPage,
  Erased,
  Facets,
  FeedPlace,
  Finding,
  JobQuery,
  LegacyConversation,
  ListQuery,
  OpenTurn,
  Operation,
  Outcome,
  PageQuery,
  PageText,
  QueuedJob,
  TextQuery,
  VerifyReport,
} from "../../engine/index.ts";
import { asColloquyError, type ColloquyError, unavailable } from "../../errors.ts";
import type { StoredEntry } from "../../message/types.ts";
import type { LogEnd, LogTip } from "../../tree/place-entries.ts";
import { flattenError, type Opened, type Reply, type Request, reviveError } from "./worker-protocol.ts";

/** The same file name in the sources and, compiled, in the package. */
const SCRIPT = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

/** Runs another engine in a worker thread. */
export class WorkerEngine implements Engine {
  readonly name: string;
  readonly location: string | null;
  readonly supports: EngineSupports;
  readonly #worker: Worker;
  readonly #calls: Calls;
  #closing: Promise<unknown> | undefined;

  /** `script`: the file that the thread runs. */
  static async open(target: string, options: EngineOptions, script: URL = SCRIPT): Promise<WorkerEngine> {
    const { onProblem, ...plain } = options;
    const worker = new Worker(script, { workerData: { target, options: plain } });
    const calls = new Calls(worker);
    worker.on("message", (replies: readonly Reply[]) => {
      for (const reply of replies) if (!("problem" in reply)) calls.settle(reply);
      for (const reply of replies) if ("problem" in reply) onProblem(reviveError(reply.problem));
    });
    worker.on("error", (error) =>
      calls.end(unavailable(`The worker failed: ${(error as Error).message}`, { cause: error })),
    );
    worker.on("exit", () => calls.end(unavailable("The worker has ended")));
    const opened = await calls.expect<Opened>(0);
    return new WorkerEngine(worker, calls, opened);
  }

  private constructor(worker: Worker, calls: Calls, opened: Opened) {
    this.#worker = worker;
    this.#calls = calls;
    this.name = opened.name;
    this.location = opened.location;
    this.supports = opened.supports;
  }

  async commit(operations: readonly Operation[]): Promise<Outcome[]> {
    const outcomes = await this.#ask<Outcome[]>("commit", operations.map(withOwnMemory));
    return outcomes.map((outcome) =>
      outcome.ok ? outcome : { ok: false, error: reviveError(outcome.error) },
    );
  }

  erase(): Promise<Erased> {
    return this.#ask("erase");
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

  pageText(query: TextQuery): Promise<PageText> {
    return this.#ask("pageText", query);
  }

  locate(conversation: string, entryId: string): Promise<number | undefined> {
    return this.#ask("locate", conversation, entryId);
  }

  logEnd(conversation: string): Promise<LogEnd | undefined> {
    return this.#ask("logEnd", conversation);
  }

  logEnds(conversations: readonly string[]): Promise<(LogTip | undefined)[]> {
    return this.#ask("logEnds", conversations);
  }

  facets(): Promise<Facets> {
    return this.#ask("facets");
  }

  openings(conversations: readonly string[]): Promise<StoredEntry[][]> {
    return this.#ask("openings", conversations);
  }

  endings(conversations: readonly string[]): Promise<(StoredEntry | undefined)[]> {
    return this.#ask("endings", conversations);
  }

  turn(conversation: string, from: number): Promise<OpenTurn | undefined> {
    return this.#ask("turn", conversation, from);
  }

  blob(hash: string, offset: number, length: number): Promise<BlobPart | undefined> {
    return this.#ask("blob", hash, offset, length);
  }

  jobs(query: JobQuery): Promise<QueuedJob[]> {
    return this.#ask("jobs", query);
  }

  changes(after: FeedPlace | null, limit: number): Promise<{ changes: Change[]; place: FeedPlace }> {
    return this.#ask("changes", after, limit);
  }

  purged(from: string, limit: number): Promise<string[]> {
    return this.#ask("purged", from, limit);
  }

  backup(path: string): Promise<readonly Finding[]> {
    return this.#ask("backup", path);
  }

  verify(): Promise<VerifyReport> {
    return this.#ask("verify");
  }

  repair(from?: string): Promise<Finding[]> {
    return this.#ask("repair", from);
  }

  legacyConversations(): Promise<LegacyConversation[]> {
    return this.#ask("legacyConversations");
  }

  migrateLegacy(conversation: string): Promise<string | undefined> {
    return this.#ask("migrateLegacy", conversation);
  }

  counts(): Promise<Counts> {
    return this.#ask("counts");
  }

  stats(): Promise<EngineStats> {
    return this.#ask("stats");
  }

  async close(): Promise<void> {
    if (this.#calls.ended) return;
    this.#closing ??= this.#ask<void>("close").then(() => this.#worker.terminate());
    await this.#closing;
  }

  #ask<T>(method: Request["method"], ...args: unknown[]): Promise<T> {
    return this.#calls.ask<T>(method, args);
  }
}

function withOwnMemory(operation: Operation): Operation {
  if (operation.type !== "append" || operation.blobs === undefined || operation.blobs.length === 0)
    return operation;
  return { ...operation, blobs: operation.blobs.map((blob) => ({ ...blob, data: ownMemory(blob.data) })) };
}

/** A message to a thread copies all of the memory that a view is part of, such as the 64 KB that small buffers share. */
function ownMemory(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength > 2 * bytes.length ? new Uint8Array(bytes) : bytes;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ColloquyError) => void;
}

/**
 * Calls that wait for a reply of the thread. Those that are made together are sent together, and answered together:
 * a message between threads takes longer than most of them do. A commit takes long itself, and goes alone.
 */
class Calls {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #unsent: Request[] = [];
  #next = 1;
  #end: ColloquyError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
  }

  get ended(): boolean {
    return this.#end !== undefined;
  }

  ask<T>(method: Request["method"], args: unknown[]): Promise<T> {
    const id = this.#next++;
    const answer = this.expect<T>(id);
    if (method === "commit") this.#send();
    this.#unsent.push({ id, method, args });
    if (method === "commit") this.#send();
    else if (this.#unsent.length === 1) queueMicrotask(() => this.#send());
    return answer;
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    if (requests.length > 0) this.#post(requests);
  }

  /** The arguments of one may be impossible to copy to the thread: the others are sent without it. */
  #post(requests: readonly Request[]): void {
    const [{ id } = { id: 0 }] = requests;
    try {
      this.#worker.postMessage(requests);
    } catch (error) {
      if (requests.length > 1) for (const request of requests) this.#post([request]);
      else this.settle({ id, error: flattenError(asColloquyError(error, "The engine cannot be asked")) });
    }
  }

  /** A store that is never closed must not keep the process alive, unless a reply is awaited. */
  expect<T>(id: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(this.#end);
        return;
      }
      this.#worker.ref();
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  }

  settle(reply: Exclude<Reply, { problem: unknown }>): void {
    const asked = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("error" in reply) asked?.reject(reviveError(reply.error));
    else asked?.resolve(reply.value);
  }

  /** The thread has ended: pending and later calls must fail instead of waiting for ever. */
  end(error: ColloquyError): void {
    this.#end ??= error;
    const asked = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of asked) reject(this.#end);
  }
}
