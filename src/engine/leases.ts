/** Who may run a conversation. The engines store the state and know which processes are alive. */
import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../errors.ts";
import type { LeaseGrant, LeaseOperation } from "./operations.ts";

interface Claim {
  readonly token: string;
  /** The process, as `isAlive` knows it. */
  readonly process: string;
  /** On the clock of the machine. */
  readonly untilMs: number;
}

/** The process that asks for a lease, and its machine. */
export interface Claimant {
  readonly id: string;
  /**
   * A clock that all processes share and that cannot be set, unlike the time of
   * day. It may start again with the machine, because no holder survives that.
   */
  nowMs(): number;
  /** Whether the process with this id still runs. */
  isAlive(id: string): boolean;
}

/** What an engine stores for a conversation that was ever leased. */
export interface LeaseState {
  /** The number of the last lease that was granted. */
  readonly epoch: number;
  readonly holder: Claim | null;
  /** First in, first out. A waiter that stops asking is considered gone. */
  readonly waiting: readonly Claim[];
}

export const NO_LEASE: LeaseState = { epoch: 0, holder: null, waiting: [] };

/** The lease whose state cannot be read: free, with an epoch that counting cannot have reached. */
export function damagedLease(nowMs: number): LeaseState {
  return { ...NO_LEASE, epoch: nowMs };
}

/** A waiter must ask again within this time. */
export const WAITER_TTL_MS = 5000;

interface Decision {
  readonly state: LeaseState;
  readonly lease: LeaseGrant;
}

/**
 * Store the returned state before you return the grant; when it is the same
 * object as before, there is nothing to write.
 */
export function decideLease(state: LeaseState, operation: LeaseOperation, claimant: Claimant): Decision {
  const nowMs = claimant.nowMs();
  const next = decide(state, operation, claimant, nowMs);
  const { epoch, holder } = next.state;
  const leftMs = holder === null ? 0 : Math.max(0, holder.untilMs - nowMs);
  return {
    state: isDeepStrictEqual(next.state, state) ? state : next.state,
    lease: { granted: next.granted, ahead: next.ahead, epoch, leftMs },
  };
}

/** The release that an append brings along. */
export function releaseOf(conversation: string, token: string): LeaseOperation {
  return { type: "lease", action: "release", conversation, token, ttlMs: 0, wait: false };
}

interface Answer {
  readonly state: LeaseState;
  readonly granted: boolean;
  /** How many are ahead of the caller, including the holder. */
  readonly ahead: number;
}

function decide(
  state: LeaseState,
  { action, conversation, token, ttlMs, wait }: LeaseOperation,
  claimant: Claimant,
  nowMs: number,
): Answer {
  const isPresent = (claim: Claim): boolean => claim.untilMs > nowMs && claimant.isAlive(claim.process);
  const granted = (before: LeaseState, epoch: number): Answer => ({
    state: { ...before, epoch, holder: { token, process: claimant.id, untilMs: nowMs + ttlMs } },
    granted: true,
    ahead: 0,
  });
  const holder = state.holder !== null && isPresent(state.holder) ? state.holder : null;
  const isHolder = holder?.token === token;
  if (action === "release") {
    const waiting = state.waiting.filter((claim) => claim.token !== token);
    const isHeld = state.holder?.token === token;
    return {
      state: { ...state, holder: isHeld ? null : state.holder, waiting },
      granted: false,
      ahead: 0,
    };
  }
  if (action === "renew" && state.holder?.token !== token) throw leaseLost(conversation);
  if (isHolder || action === "renew") return granted(state, state.epoch);
  const waiting = state.waiting.filter((claim) => claim.token === token || isPresent(claim));
  const others = waiting.filter((claim) => claim.token !== token);
  const place = waiting.findIndex((claim) => claim.token === token);
  const before = place === -1 ? waiting.length : place;
  if (holder === null && before === 0) return granted({ ...state, waiting: others }, state.epoch + 1);
  const ahead = before + (holder === null ? 0 : 1);
  if (!wait) return { state: { ...state, waiting: others }, granted: false, ahead };
  const claim: Claim = { token, process: claimant.id, untilMs: nowMs + WAITER_TTL_MS };
  // A waiter asks every few milliseconds; writing each time would be a waste.
  const known = waiting[place];
  if (known !== undefined && known.untilMs > nowMs + WAITER_TTL_MS / 2) {
    return { state: { ...state, waiting }, granted: false, ahead };
  }
  const line = place === -1 ? [...waiting, claim] : waiting.with(place, claim);
  return { state: { ...state, waiting: line }, granted: false, ahead };
}

/** A writer whose lease was granted to another must not write any more. */
export function checkEpoch(conversation: string, state: LeaseState, epoch: number): void {
  if (state.epoch !== epoch || state.holder === null) throw leaseLost(conversation);
}

function leaseLost(conversation: string): ColloquyError {
  return new ColloquyError("CONFLICT", `The lease of conversation ${conversation} was lost`, {
    field: "lease",
    details: { id: conversation },
  });
}
