/** Who may run a conversation. The engines store the state and know which processes are alive. */
import { isDeepStrictEqual } from "node:util";
import { ColloquyError } from "../errors.ts";
import type { LeaseGrant, LeaseOperation } from "./operations.ts";

interface Claim {
  readonly token: string;
  /** The process, as `isAlive` knows it. */
  readonly process: string;
  readonly expiresMs: number;
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

/** A waiter must ask again within this time. */
export const WAITER_TTL_MS = 5000;

interface Decision {
  readonly state: LeaseState;
  readonly lease: LeaseGrant;
}

/**
 * `process` is the process of the caller. Store the returned state before you
 * return the grant; when it is the same object as before, there is nothing to write.
 */
export function decideLease(
  state: LeaseState,
  operation: LeaseOperation,
  process: string,
  isAlive: (process: string) => boolean,
): Decision {
  const decision = decide(state, operation, process, isAlive);
  return isDeepStrictEqual(decision.state, state) ? { ...decision, state } : decision;
}

function decide(
  state: LeaseState,
  operation: LeaseOperation,
  process: string,
  isAlive: (process: string) => boolean,
): Decision {
  const { action, token, nowMs } = operation;
  const isPresent = (claim: Claim): boolean => claim.expiresMs > nowMs && isAlive(claim.process);
  const holder = state.holder !== null && isPresent(state.holder) ? state.holder : null;
  const isHolder = holder?.token === token;
  if (action === "release") {
    const waiting = state.waiting.filter((claim) => claim.token !== token);
    const released: LeaseState = {
      ...state,
      holder: state.holder?.token === token ? null : state.holder,
      waiting,
    };
    return answer(released, false, 0);
  }
  if (action === "renew" && state.holder?.token !== token) throw leaseLost(operation.conversation);
  if (isHolder || action === "renew") return answer(held(state, operation, process, state.epoch), true, 0);
  const waiting = state.waiting.filter((claim) => claim.token === token || isPresent(claim));
  const place = waiting.findIndex((claim) => claim.token === token);
  const before = place === -1 ? waiting.length : place;
  if (holder === null && before === 0) {
    const others = waiting.filter((claim) => claim.token !== token);
    return answer(held({ ...state, waiting: others }, operation, process, state.epoch + 1), true, 0);
  }
  const ahead = before + (holder === null ? 0 : 1);
  if (!operation.wait)
    return answer({ ...state, waiting: waiting.filter((claim) => claim.token !== token) }, false, ahead);
  const claim: Claim = { token, process, expiresMs: nowMs + WAITER_TTL_MS };
  // A waiter asks every few milliseconds; writing each time would be a waste.
  const known = waiting[place];
  if (known !== undefined && known.expiresMs > nowMs + WAITER_TTL_MS / 2) {
    return answer({ ...state, waiting }, false, ahead);
  }
  const line = place === -1 ? [...waiting, claim] : waiting.with(place, claim);
  return answer({ ...state, waiting: line }, false, ahead);
}

function held(
  state: LeaseState,
  { token, ttlMs, nowMs }: LeaseOperation,
  process: string,
  epoch: number,
): LeaseState {
  return { ...state, epoch, holder: { token, process, expiresMs: nowMs + ttlMs } };
}

function answer(
  state: LeaseState,
  granted: boolean,
  ahead: number,
): { state: LeaseState; lease: LeaseGrant } {
  return { state, lease: { granted, epoch: state.epoch, expiresMs: state.holder?.expiresMs ?? 0, ahead } };
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
