import type { Engine, Operation, Outcome } from "../engine/engine.ts";
import { asColloquyError, unavailable } from "../errors.ts";

/** Limits of one transaction, so that a flood neither fills memory nor makes everybody wait for the last of it. */
const BATCH_OPERATIONS_MAX = 1024;
const BATCH_BYTES_MAX = 16 * 1024 * 1024;

type Success = Extract<Outcome, { ok: true }>;

interface Waiting {
  readonly operation: Operation;
  readonly bytes: number;
  readonly resolve: (outcome: Success) => void;
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

  push(operation: Operation): Promise<Success> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, bytes: sizeOf(operation), resolve, reject });
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
      } catch (error) {
        for (const { reject } of batch) reject(asColloquyError(error, "Cannot write"));
        continue;
      }
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome?.ok) resolve(outcome);
        else reject(outcome?.error ?? unavailable("The engine gave no answer"));
      });
      // Let those who were just answered go first: what they write next joins the next batch.
      await undefined;
    }
    this.#draining = undefined;
  }

  #nextBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      bytes += waiting.bytes;
      if (count > 0 && (count >= BATCH_OPERATIONS_MAX || bytes > BATCH_BYTES_MAX)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

function sizeOf(operation: Operation): number {
  if (operation.type !== "append") return 0;
  return operation.entries.reduce((sum, { json }) => sum + json.length, 0);
}
