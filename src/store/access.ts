import type { Awaitable, ConversationInfo, Engine } from "../engine/index.ts";
import { asColloquyError, type ColloquyError, invalid } from "../errors.ts";
import type { DepthLimits } from "../tree/branches.ts";
import { nextLoopTurn } from "../util/loop-turn.ts";
import { isoTime, parseTime } from "../util/time.ts";
import type { Wakes } from "./feed/wakes.ts";
import type { SessionKeys } from "./read/session-keys.ts";
import type { StoreSearch } from "./search/store-search.ts";
import type { Redaction } from "./write/redaction.ts";
import type { WriteQueue } from "./write/write-queue.ts";

/** The access to its store that the parts of a conversation need. */
export interface StoreAccess {
  readonly queue: WriteQueue;
  readonly wakes: Wakes;
  readonly depthLimits: DepthLimits;
  /** Parents that form a cycle are not reported. */
  readonly allowCircularReferences: boolean;
  readonly keys: SessionKeys;
  readonly search: StoreSearch;
  /** `undefined`: messages are stored as they are. */
  readonly redaction: Redaction | undefined;
  nowMs(): number;
  /** An id that sorts after the other ids that this store made. */
  newId(nowMs: number): string;
  /** Report a warning to the operator. */
  warn(text: string): void;
  /** Report damage that was worked around. */
  problem(error: ColloquyError): void;
  /** Call the engine. Whatever it throws is rethrown as a `ColloquyError`. */
  ask<T>(question: (engine: Engine) => Awaitable<T>): Promise<T>;
  /** Throws if the store is closed or read-only. */
  assertWritable(): void;
  /** Throws if the store was opened without branches. */
  assertTree(): void;
}

/** Every error that leaves the store is a `ColloquyError`, whatever an engine or the system throws. */
export async function mapped<T>(work: () => Awaitable<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asColloquyError(error, "The store failed");
  } finally {
    // After the work: what a caller reads is as of its call.
    const next = nextLoopTurn();
    if (next !== undefined) await next;
  }
}

export const LIMIT_MAX = 10_000;

/** A copy, so that callers cannot change the state of an engine. */
export function copyOf(info: ConversationInfo): ConversationInfo {
  // Cloning nothing costs as much as cloning a little, and a page holds fifty of them.
  return { ...info, contextState: info.contextState && structuredClone(info.contextState) };
}

export function checkSignal(signal: unknown): void {
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalid("signal must be an AbortSignal", "signal");
  }
}

export function checkCount(value: unknown, field: string, max: number = LIMIT_MAX): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > max) {
    throw invalid(`${field} must be an integer from 1 to ${max}`, field);
  }
  return value as number;
}

/** The fencing number of a lease, which must belong to this conversation. */
export function epochOf(
  lease: { readonly epoch: number; readonly conversation: string },
  conversation: string,
): number {
  if (typeof lease?.epoch !== "number") throw invalid("lease must be a lease that lease() returned", "lease");
  if (lease.conversation !== conversation) throw invalid("The lease is for another conversation", "lease");
  return lease.epoch;
}

/** A time of a caller, in the form in which times are stored. */
export function checkTime(time: unknown, field: string): string {
  const ms = parseTime(time);
  if (ms === undefined) throw invalid(`${field} must be an ISO 8601 time with a time zone`, field);
  return isoTime(Math.max(0, ms));
}
