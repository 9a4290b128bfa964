import { existsSync } from "node:fs";
import { join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import { CONFIG_NAME } from "../../state/folder.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore } from "../../store/open.ts";
import type { Store } from "../../store/store.ts";
import type { Call } from "../command.ts";
import { nextCommand } from "../invocation.ts";
import { report } from "../output.ts";
import { inTrash } from "../view/in-trash.ts";
import type { StoreSettings } from "./store-settings.ts";
import { type StoreTarget, stateFolder, storeTarget } from "./store-target.ts";

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

/** Open the store, or make it, for work that keeps two processors busy. */
export async function openToImport(call: Call): Promise<Store> {
  return open(call, storeTarget(call.values), false, true);
}

/** The conversation that was asked for. `NOT_FOUND` when there is none. */
export async function conversationOf(
  call: Call,
  store: Store | undefined,
  reference: string,
): Promise<Conversation> {
  const conversation = await store?.get(reference);
  if (conversation === undefined) throw await missing(call, store, reference);
  return conversation;
}

/** `NOT_FOUND`, which says where it is when it was deleted. */
export async function missing(
  call: Call,
  store: Store | undefined,
  reference: string,
): Promise<ColloquyError> {
  if (store === undefined) return noConversation(reference);
  return (await inTrash(call, store, reference)) ?? noConversation(reference);
}

export function noConversation(reference: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no conversation ${reference}`);
}

function noStore({ path }: StoreTarget): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no store at ${path}`);
}

async function open(call: Call, { text }: StoreTarget, readonly: boolean, worker = false): Promise<Store> {
  let advice = CHECKS.has(call.command.name)
    ? ""
    : `. To see all that is wrong: ${nextCommand("sessions validate", call.values)}`;
  return openStore(text, {
    ...(await settingsOf(call)),
    readonly,
    worker,
    onProblem: (problem) => {
      warn(call, problem, advice);
      // Once is enough.
      advice = "";
    },
    // Part of the answer to the command that makes a branch.
    onWarning: () => {},
  });
}

/** What the config says about stores. A wrong config ends the command; only those that look for what is wrong go on. */
async function settingsOf(call: Call): Promise<StoreSettings> {
  if (CHECKS.has(call.command.name) || !existsSync(join(stateFolder(call.values), CONFIG_NAME))) return {};
  // Reading a config takes as much code as listing conversations, and most commands run without a config file.
  const { storeSettings } = await import("./store-settings.ts");
  return storeSettings(call);
}

/** Commands that say themselves what is wrong. */
const CHECKS: ReadonlySet<string> = new Set(["sessions validate", "doctor", "backup"]);
/** A part of a file, as its engine names it. */
const LINE = /: bytes \d+ to \d+: /;

/** Damage that was worked around is always told, before the answer. */
function warn({ json }: Call, problem: ColloquyError, advice: string): void {
  const { code, message, field } = problem;
  const what = LINE.test(message) ? `An entry cannot be read: ${message}` : message;
  report("warning", new ColloquyError(code, `${what}${advice}`, { field, cause: problem }), json);
}
