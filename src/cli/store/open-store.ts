import { accessSync, constants, existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ColloquyError } from "../../errors.ts";
import type { SemanticModel } from "../../search/index.ts";
import { adoptedConfig } from "../../state/adopt.ts";
import type { ConfiguredStore } from "../../state/config/store-options.ts";
import { CONFIG_NAME, PATCHES_NAME } from "../../state/folder.ts";
import type { Conversation } from "../../store/conversation.ts";
import { openStore, type StoreOptions } from "../../store/open.ts";
import { searchPath } from "../../store/search/store-search.ts";
import type { Store } from "../../store/store.ts";
import { defined } from "../../util/json.ts";
import { isUuid } from "../../util/uuid.ts";
import type { Call } from "../command.ts";
import { checkReference } from "../input/reference.ts";
import { nextCommand } from "../invocation.ts";
import { report } from "../output.ts";
import { findConversation, isExact } from "./find-conversation.ts";
import { inTrash } from "./in-trash.ts";
import { type StoreTarget, stateFolder, storeTarget } from "./store-target.ts";

/**
 * Open the store for a command that reads. Never creates one.
 *
 * `undefined` when the default store does not exist yet, which a reader treats
 * as an empty store. A missing store that was named is an error.
 */
export async function openToRead(
  call: Call,
  target: StoreTarget = storeTarget(call.values),
): Promise<Store | undefined> {
  if (!target.missing || target.named) return open(call, target, true);
  // An empty answer beside a config that cannot be read would mislead.
  await settingsOf(call, target.text, true);
  return undefined;
}

/** The same for a search, which keeps its index beside the store if it may write there. */
export async function openToSearch(
  call: Call,
  target: StoreTarget,
  semantic?: SemanticModel,
): Promise<Store | undefined> {
  if (target.missing) return openToRead(call, target);
  return open(call, target, true, { searchFile: canKeepIndex(target), ...defined({ semantic }) });
}

/** Whether the search index can be in a file. */
export function canKeepIndex({ engine, path }: StoreTarget): boolean {
  const file = searchPath(engine, path);
  if (file === null) return false;
  try {
    accessSync(dirname(file), constants.W_OK);
    if (existsSync(file)) accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Open the store for a command that changes a conversation. `NOT_FOUND` instead of creating an empty store. */
export async function openToChange(call: Call, reference: string): Promise<Store> {
  const target = storeTarget(call.values);
  if (target.missing) throw target.named ? noStore(target) : noConversation(reference);
  return open(call, target, false);
}

/**
 * Open the store for a command that cleans it up.
 *
 * `undefined` when the default store does not exist yet.
 */
export async function openToClean(call: Call, dryRun: boolean): Promise<Store | undefined> {
  const target = storeTarget(call.values);
  if (!target.missing) return open(call, target, dryRun);
  if (target.named) throw noStore(target);
  await settingsOf(call, target.text, dryRun);
  return undefined;
}

/** Open the store, or create it. */
export async function openToAppend(call: Call): Promise<Store> {
  return open(call, storeTarget(call.values), false);
}

/** Open the store, or create it, with the engine in a worker thread: an import keeps two processors busy. */
export async function openToImport(call: Call): Promise<Store> {
  return open(call, storeTarget(call.values), false, { worker: true });
}

type Work<T> = (conversation: Conversation, store: Store) => Promise<T>;

/** Read the conversation that the first argument names. */
export async function readConversation<T>(call: Call, work: Work<T>): Promise<T> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToRead(call);
  const conversation = await conversationOf(call, store, reference);
  return await work(conversation, store as Store);
}

/** Change the conversation that the first argument names. */
export async function changeConversation<T>(call: Call, work: Work<T>): Promise<T> {
  const reference = checkReference(call.args[0] as string);
  await using store = await openToChange(call, reference);
  return await work(await conversationOf(call, store, reference), store);
}

/** The conversation that a reference means. `NOT_FOUND` when there is none. */
export async function conversationOf(
  call: Call,
  store: Store | undefined,
  reference: string,
): Promise<Conversation> {
  const conversation = store && (await existing(call, store, reference));
  if (conversation === undefined) throw await missing(call, store, reference);
  return conversation;
}

/** The same, or `undefined`. Most references are exact, and then the list is not read. */
export async function existing(
  call: Call,
  store: Store,
  reference: string,
): Promise<Conversation | undefined> {
  const exact = isExact(store, reference) ? await store.get(reference) : undefined;
  if (exact !== undefined) return exact;
  const id = await findConversation(call, store, reference);
  return id === undefined ? undefined : store.get(id);
}

/** `NOT_FOUND`, with how to restore the conversation if it is in the trash. */
async function missing(call: Call, store: Store | undefined, reference: string): Promise<ColloquyError> {
  if (store === undefined) return noConversation(reference);
  return (await inTrash(call, store, reference)) ?? noConversation(reference);
}

export function noConversation(reference: string): ColloquyError {
  const hint =
    reference.includes(":") || isUuid(reference)
      ? ""
      : ": use an id, a session key, the start of either, a title, or a row of the last list ('#3')";
  return new ColloquyError("NOT_FOUND", `Conversation ${reference} not found${hint}`);
}

function noStore({ path }: StoreTarget): ColloquyError {
  return new ColloquyError("NOT_FOUND", `No store at ${path}`);
}

async function open(
  call: Call,
  { text }: StoreTarget,
  readonly: boolean,
  more: Pick<StoreOptions, "worker" | "searchFile" | "semantic"> = {},
): Promise<Store> {
  let advice = CHECKS.has(call.command.name)
    ? ""
    : `. To see all problems: ${nextCommand("sessions validate", call.values)}`;
  return openStore(text, {
    ...(await settingsOf(call, text, readonly)),
    ...more,
    readonly,
    onProblem: (problem) => {
      warn(call, problem, advice);
      // Only with the first one.
      advice = "";
    },
    // The command that creates a branch prints it.
    onWarning: () => {},
  });
}

/** The settings for stores. */
async function settingsOf(call: Call, target: string, readonly: boolean): Promise<ConfiguredStore> {
  if (!hasConfig(call)) return {};
  // Reading a config takes as much code as listing conversations, and most commands run without a config file.
  const { storeSettings } = await import("./store-settings.ts");
  return storeSettings(call, target, CHECKS.has(call.command.name) ? "check" : readonly ? "read" : "stop");
}

/** Whether there is a config to read. */
export function hasConfig({ values, lists }: Call): boolean {
  const folder = stateFolder(values);
  if (lists.has("set") || [CONFIG_NAME, PATCHES_NAME].some((name) => existsSync(join(folder, name))))
    return true;
  return !values.has("profile") && adoptedConfig(folder, process.env, homedir()) !== undefined;
}

/** Commands that report problems themselves. */
const CHECKS: ReadonlySet<string> = new Set(["sessions validate", "doctor", "backup"]);
/** How an engine names a part of a file. */
const LINE = /: bytes \d+ to \d+: /;

/** Report damage that the engine worked around. */
function warn({ json }: Call, problem: ColloquyError, advice: string): void {
  const { code, message, field } = problem;
  const what = LINE.test(message) ? `Cannot read an entry: ${message}` : message;
  report("warning", new ColloquyError(code, `${what}${advice}`, { field, cause: problem }), json);
}
