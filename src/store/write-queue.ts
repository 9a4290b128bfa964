import type {
  AppendOperation,
  AppendResult,
  ConversationInfo,
  Engine,
  Operation,
  Outcome,
} from "../engine/engine.ts";
import { asColloquyError, ColloquyError } from "../errors.ts";

/** Limits of one transaction, so that a flood neither fills memory nor makes everybody wait for the last of it. */
const BATCH_OPERATIONS_MAX = 1024;
const BATCH_SIZE_MAX = 16 * 1024 * 1024;

interface Waiting {
  readonly operation: Operation;
  /** In characters, which is near enough for a limit. */
  readonly size: number;
  readonly resolve: (result: AppendResult | ConversationInfo) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: what arrives together shares one transaction and one sync.
 *
 * The queue is drained in a microtask, which is late enough to catch
 * everything that the running code starts and early enough not to be felt.
 */
export class WriteQueue {
  readonly #engine: Engine;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  push(operation: AppendOperation): Promise<AppendResult>;
  push(operation: Exclude<Operation, AppendOperation>): Promise<ConversationInfo>;
  push(operation: Operation): Promise<AppendResult | ConversationInfo> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, size: sizeOf(operation), resolve, reject });
      this.#draining ??= Promise.resolve().then(() => this.#drain());
    });
  }

  /** Resolves when everything that was pushed has been answered. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      let outcomes: Outcome[];
      try {
        const committed = this.#engine.commit(batch.map(({ operation }) => operation));
        outcomes = Array.isArray(committed) ? committed : await committed;
        if (!Array.isArray(outcomes)) throw new Error("the engine gave no answer");
      } catch (error) {
        for (const { reject } of batch) reject(asColloquyError(error, "Cannot write"));
        continue;
      }
      batch.forEach((waiting, index) => {
        answer(waiting, outcomes[index]);
      });
      // Let those who were just answered go first: what they write next joins the next batch.
      await undefined;
    }
    this.#draining = undefined;
  }

  #nextBatch(): Waiting[] {
    let size = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      size += waiting.size;
      if (count > 0 && (count >= BATCH_OPERATIONS_MAX || size > BATCH_SIZE_MAX)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function sizeOf(operation: Operation): number {
  if (operation.type !== "append") return 0;
  return operation.entries.reduce((sum, { json }) => sum + json.length, 0);
}

function answer({ operation, resolve, reject }: Waiting, outcome: Outcome | undefined): void {
  if (outcome?.ok === false) {
    reject(outcome.error);
    return;
  }
  const result = operation.type === "append" ? outcome?.append : outcome?.info;
  if (result === undefined) reject(new ColloquyError("INTERNAL_ERROR", "The engine did not say what it did"));
  else resolve(result);
}
