import { setImmediate as loopTurn } from "node:timers/promises";
import type {
  AppendOperation,
  AppendResult,
  BlobOperation,
  CollectOperation,
  ConversationInfo,
  Done,
  Engine,
  Erased,
  JobsOperation,
  JournalOperation,
  LeaseGrant,
  LeaseOperation,
  MarkPurgedOperation,
  Operation,
  Outcome,
  PurgeOperation,
  RedactOperation,
  Removed,
  SetKeyOperation,
  SweepOperation,
} from "../../engine/index.ts";
import { asColloquyError, ColloquyError, unavailable } from "../../errors.ts";
import { nextLoopTurn } from "../../util/loop-turn.ts";

/** Limits of one transaction, so that a flood of writes neither fills memory nor delays every caller until its end. */
const BATCH_OPERATIONS_MAX = 1024;
const BATCH_SIZE_MAX = 16 * 1024 * 1024;
/** A group is complete when the event loop has turned so often without another operation, */
const QUIET_TURNS = 2;
/** or so often at all, */
const TURNS_MAX = 8;
/** or after this time: the turns of a busy thread are long, and the engine would wait for them with nothing to do. */
const GATHER_MS_MAX = 4;

/** The outcome of an operation. */
export type ResultOf<T extends Operation> = T extends AppendOperation
  ? AppendResult
  : T extends LeaseOperation
    ? LeaseGrant
    : T extends JournalOperation | BlobOperation | MarkPurgedOperation | JobsOperation
      ? number
      : T extends PurgeOperation | RedactOperation | SetKeyOperation | SweepOperation | CollectOperation
        ? Removed
        : ConversationInfo;

interface Waiting {
  readonly operation: Operation;
  /** In characters, which is accurate enough for a limit. */
  readonly size: number;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** What an engine has removed that purges a conversation in several steps. */
  readonly removed?: Removed;
  /** The next operation is in the same transaction, however large that is. */
  isJoined: boolean;
}

/**
 * Group commit: operations that arrive together share one transaction and one sync.
 *
 * The queue is drained in a microtask, which is late enough to catch
 * everything that the running code starts and early enough not to be noticed.
 * An engine in another thread is given larger groups: each costs a round trip
 * and a sync, and requests that arrived together are read from their sockets
 * in several turns of the event loop.
 */
export class WriteQueue {
  readonly #engine: Engine;
  readonly #committed: () => void;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  /** Whether the last commit had to be awaited. */
  #isElsewhere = false;
  /** Answers that wait until the traces of a removal are erased. */
  readonly #erasing = new Set<Promise<void>>();
  #closed = false;

  /** `committed` is called after every commit. */
  constructor(engine: Engine, committed: () => void) {
    this.#engine = engine;
    this.#committed = committed;
  }

  push<T extends Operation>(operation: T): Promise<ResultOf<T>> {
    // A turn may outlive its store.
    if (this.#closed) return Promise.reject(unavailable("The store is closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, size: sizeOf(operation), resolve, reject, isJoined: false });
      this.#draining ??= Promise.resolve().then(() => this.#drain());
    });
  }

  /** All that `push` pushes before it returns is one transaction: no half of it can be left. */
  together<T>(push: () => T): T {
    const first = this.#waiting.length;
    const result = push();
    for (const waiting of this.#waiting.slice(first, -1)) waiting.isJoined = true;
    return result;
  }

  /** Accept nothing more. Resolves when every pending operation has settled. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#draining !== undefined) await this.#draining;
    await Promise.all(this.#erasing);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#isElsewhere) await this.#gather();
      const batch = this.#nextBatch();
      try {
        const committed = this.#engine.commit(batch.map(({ operation }) => operation));
        this.#isElsewhere = !Array.isArray(committed);
        const outcomes = Array.isArray(committed) ? committed : await committed;
        if (!Array.isArray(outcomes)) throw new Error("the engine returned no result");
        batch.forEach((waiting, index) => {
          if (ANSWER[waiting.operation.type] === "removed") this.#removed(waiting, outcomes[index]);
          else answer(waiting, outcomes[index]);
        });
        this.#committed();
      } catch (error) {
        for (const { reject } of batch) reject(asColloquyError(error, "Cannot write"));
      }
      // Let the callers that were just answered continue first: their next writes join the next batch.
      await nextLoopTurn();
    }
    this.#draining = undefined;
  }

  /** Waits as long as more arrives. One writer alone hardly notices it: an idle event loop turns in microseconds. */
  async #gather(): Promise<void> {
    let quiet = 0;
    const endMs = performance.now() + GATHER_MS_MAX;
    for (let turn = 0; turn < TURNS_MAX && quiet < QUIET_TURNS && performance.now() < endMs; turn++) {
      const count = this.#waiting.length;
      await loopTurn();
      quiet = this.#waiting.length > count ? 0 : quiet + 1;
    }
  }

  #removed(waiting: Waiting, outcome: Outcome | undefined): void {
    const sum = sumOf(waiting.removed, outcome);
    if (sum?.ok && sum.removed?.more === true)
      this.#waiting.push({ ...waiting, removed: sum.removed, isJoined: false });
    else this.#answerErased(waiting, sum);
  }

  /** Later operations do not wait for this. Also after a refusal: asking again completes an earlier erasure. */
  #answerErased(waiting: Waiting, outcome: Outcome | undefined): void {
    const erasing = Promise.resolve()
      .then(() => this.#engine.erase())
      .then((erased) => answer(waiting, withErased(outcome, erased)))
      .catch((error) => waiting.reject(asColloquyError(error, "Cannot erase")))
      .finally(() => this.#erasing.delete(erasing));
    this.#erasing.add(erasing);
  }

  #nextBatch(): Waiting[] {
    let size = 0;
    let count = 0;
    let isJoined = true;
    for (const waiting of this.#waiting) {
      size += waiting.size;
      if (!isJoined && (count >= BATCH_OPERATIONS_MAX || size > BATCH_SIZE_MAX)) break;
      isJoined = waiting.isJoined;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function sizeOf(operation: Operation): number {
  switch (operation.type) {
    case "append": {
      const blobs = operation.blobs?.reduce((sum, { data }) => sum + data.length, 0) ?? 0;
      return operation.entries.reduce((sum, { json }) => sum + json.length, blobs);
    }
    case "jobs":
      return operation.put.reduce((sum, { json }) => sum + json.length, 0);
    case "journal":
      return operation.text.length;
    case "blob":
      return operation.data.length;
    default:
      return 0;
  }
}

/** The property of an outcome that an operation must have. */
const ANSWER: Readonly<Record<Operation["type"], keyof Done>> = {
  create: "info",
  update: "info",
  trash: "info",
  restore: "info",
  append: "append",
  purge: "removed",
  redact: "removed",
  "set-key": "removed",
  sweep: "removed",
  collect: "removed",
  lease: "lease",
  journal: "length",
  blob: "length",
  "mark-purged": "length",
  jobs: "length",
};

/** The outcome of a step, with what was removed before. */
function sumOf(before: Removed | undefined, outcome: Outcome | undefined): Outcome | undefined {
  if (before === undefined) return outcome;
  // Another process has finished it.
  if (outcome?.ok === false && outcome.error.code === "NOT_FOUND")
    return { ok: true, removed: { ...before, more: false } };
  if (!outcome?.ok || outcome.removed === undefined) return outcome;
  const { entries, blobs, bytes, copies, more } = outcome.removed;
  const removed = {
    entries: before.entries + entries,
    blobs: before.blobs + blobs,
    bytes: before.bytes + bytes,
    copies,
    ...(more === true ? { more } : {}),
  };
  return { ...outcome, removed };
}

function withErased(outcome: Outcome | undefined, { files, blobs, bytes }: Erased): Outcome | undefined {
  if (!outcome?.ok || outcome.removed === undefined) return outcome;
  const { removed } = outcome;
  const counts = { blobs: removed.blobs + blobs, bytes: removed.bytes + bytes };
  return { ...outcome, removed: { ...removed, ...counts, copies: [...removed.copies, ...files] } };
}

function answer({ operation, resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.ok === false) {
    reject(outcome.error);
    return;
  }
  const result = outcome?.[ANSWER[operation.type]];
  if (result === undefined)
    reject(new ColloquyError("INTERNAL_ERROR", "The engine returned no result for an operation"));
  else resolve(result as never);
}
