import { ColloquyError } from "../errors.ts";
import type { Conversation } from "../store/conversation.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./command.ts";
import { type StoreTarget, storeTarget } from "./store-target.ts";

/**
 * Open the store for a command that reads. Never makes one.
 *
 * `undefined` when nobody named a store and the default one is not there yet:
 * to a reader that is an empty store.
 */
export async function openToRead(
  call: Call,
  target: StoreTarget = storeTarget(call.values),
): Promise<Store | undefined> {
  if (target.missing && !target.named) return undefined;
  return open(call, target, true);
}

/** Open the store for a command that changes what is there. `NOT_FOUND` instead of making an empty one. */
export async function openToChange(call: Call, reference: string): Promise<Store> {
  const target = storeTarget(call.values);
  if (target.missing) throw target.named ? noStore(target) : noConversation(reference);
  return open(call, target, false);
}

/**
 * Open the store for a command that goes through all of it and removes.
 *
 * `undefined` when nobody named a store and the default one is not there yet.
 */
export async function openToClean(call: Call, dryRun: boolean): Promise<Store | undefined> {
  const target = storeTarget(call.values);
  if (!target.missing) return open(call, target, dryRun);
  if (target.named) throw noStore(target);
  return undefined;
}

/** Open the store, or make it. */
export async function openToAppend(call: Call): Promise<Store> {
  return open(call, storeTarget(call.values), false);
}

/** The conversation that was asked for. `NOT_FOUND` when there is none. */
export async function conversationOf(store: Store | undefined, reference: string): Promise<Conversation> {
  const conversation = await store?.get(reference);
  if (conversation === undefined) throw noConversation(reference);
  return conversation;
}

export function noConversation(reference: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no conversation ${reference}`);
}

function noStore({ path }: StoreTarget): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no store at ${path}`);
}

async function open(call: Call, { text }: StoreTarget, readonly: boolean): Promise<Store> {
  const { openStore } = await import("../store/open.ts");
  return openStore(text, {
    readonly,
    onProblem: (problem) => void warn(call, problem),
    // Part of the answer to the command that makes a branch.
    onWarning: () => {},
  });
}

/** Damage that was worked around is always told, beside the answer. */
async function warn({ json }: Call, problem: ColloquyError): Promise<void> {
  const { report } = await import("./report.ts");
  report("warning", problem, json);
}
