import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseGrant, LeaseOperation } from "../../engine/index.ts";
import { ColloquyError, invalid } from "../../errors.ts";
import { checkProperties } from "../../message/validate.ts";
import { isoTime } from "../../util/time.ts";
import { checkSignal, type StoreAccess } from "../access.ts";

export interface LeaseOptions {
  /** How long it is held without a renewal, unless its holder dies first. Default: 30 s. */
  readonly ttlMs?: number;
  /** How long to wait for it. Waiters are served first in, first out. Default: no wait. */
  readonly waitMs?: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

const LEASE_TTL_MS = 30_000;
const TTL_MAX_MS = 24 * 3_600_000;
const POLL_MS = 25;
const RELEASE_AGAIN_MS = 200;

/** The exclusive right to run one conversation, across processes, until it is released, it expires or its holder dies. */
export class Lease implements AsyncDisposable {
  readonly conversation: string;
  /** Increases with every lease of the conversation, and is checked on every write that passes the lease. */
  readonly epoch: number;
  readonly ttlMs: number;
  readonly #store: StoreAccess;
  readonly #token: string;
  #expiresMs: number;

  static async acquire(store: StoreAccess, conversation: string, options: LeaseOptions): Promise<Lease> {
    const { ttlMs, waitMs, signal } = checkLeaseOptions(options);
    store.assertWritable();
    const token = store.newId(store.nowMs());
    const deadline = performance.now() + waitMs;
    const ask = (action: LeaseOperation["action"]): Promise<LeaseGrant> =>
      askLease(store, conversation, token, action, ttlMs, waitMs > 0);
    for (;;) {
      const grant = await ask("acquire");
      if (grant.granted) return new Lease(store, conversation, token, ttlMs, grant);
      if (performance.now() >= deadline || signal?.aborted) {
        if (waitMs > 0) await ask("release");
        throw heldByAnother(conversation, grant.ahead, isoTime(store.nowMs() + grant.leftMs));
      }
      await sleep(Math.max(1, Math.min(POLL_MS, deadline - performance.now())));
    }
  }

  private constructor(
    store: StoreAccess,
    conversation: string,
    token: string,
    ttlMs: number,
    { epoch, leftMs }: LeaseGrant,
  ) {
    this.#store = store;
    this.conversation = conversation;
    this.#token = token;
    this.ttlMs = ttlMs;
    this.epoch = epoch;
    this.#expiresMs = store.nowMs() + leftMs;
  }

  /** @internal For an append that releases it. */
  get token(): string {
    return this.#token;
  }

  /** By the time of day. Who holds the lease does not depend on it. */
  get expiresAt(): string {
    return isoTime(this.#expiresMs);
  }

  /** Hold it for another `ttlMs`. `CONFLICT` if another holder has taken it. */
  async renew(): Promise<void> {
    const { leftMs } = await this.#ask("renew");
    this.#expiresMs = this.#store.nowMs() + leftMs;
  }

  /** Release it. Has no effect if it was lost. */
  async release(): Promise<void> {
    await this.#ask("release");
  }

  /** @internal Release it as soon as the store can: it may have no room even for that, and others would wait. */
  async abandon(): Promise<void> {
    const deadline = performance.now() + this.ttlMs;
    const attempt = async (): Promise<void> => {
      try {
        await this.release();
      } catch (error) {
        const isFull = error instanceof ColloquyError && error.code === "SERVICE_UNAVAILABLE";
        if (isFull && performance.now() < deadline) setTimeout(attempt, RELEASE_AGAIN_MS).unref();
      }
    };
    await attempt();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  #ask(action: LeaseOperation["action"]): Promise<LeaseGrant> {
    return askLease(this.#store, this.conversation, this.#token, action, this.ttlMs, false);
  }
}

function askLease(
  store: StoreAccess,
  conversation: string,
  token: string,
  action: LeaseOperation["action"],
  ttlMs: number,
  wait: boolean,
): Promise<LeaseGrant> {
  return store.queue.push({ type: "lease", action, conversation, token, ttlMs, wait });
}

function heldByAnother(conversation: string, ahead: number, expiresAt: string): ColloquyError {
  return new ColloquyError(
    "CONFLICT",
    `Conversation ${conversation} is leased by another holder until ${expiresAt}, or longer if the lease is renewed`,
    { field: "lease", details: { expiresAt, ahead } },
  );
}

const LEASE_MEMBERS: ReadonlySet<string> = new Set(["ttlMs", "waitMs", "signal"]);

function checkLeaseOptions(options: LeaseOptions): LeaseOptions & { ttlMs: number; waitMs: number } {
  checkProperties(options, LEASE_MEMBERS, "options");
  const { ttlMs = LEASE_TTL_MS, waitMs = 0, signal } = options;
  checkSignal(signal);
  if (!Number.isFinite(ttlMs) || ttlMs <= 0 || ttlMs > TTL_MAX_MS) {
    throw invalid(`ttlMs must be more than 0 and at most ${TTL_MAX_MS}`, "ttlMs");
  }
  if (!Number.isFinite(waitMs) || waitMs < 0) throw invalid("waitMs must be 0 or more", "waitMs");
  return { ttlMs, waitMs, ...(signal === undefined ? {} : { signal }) };
}
