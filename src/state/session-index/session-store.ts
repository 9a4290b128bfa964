import { ColloquyError, invalid } from "../../errors.ts";
import { resolveSessionKey } from "../../key/index.ts";
import { assertJson, isPlainObject } from "../../util/json.ts";
import { originOf, setOrigin } from "./cache.ts";
import { settle } from "./document.ts";
import { checkEntry, type SessionEntry, type SessionStore } from "./entry.ts";
import { filesOf } from "./files.ts";
import type { Draft } from "./index-edit.ts";
import { draftOptions, type IndexOptions } from "./load.ts";
import { mergeStores } from "./merge.ts";
import { change } from "./queue.ts";

export interface SaveOptions extends IndexOptions {
  /** As `loadSessionStore` gave it, changed in place; or an object of your own, from which nothing is deleted. */
  readonly store: SessionStore;
  /** What `store` was made from, if that is not known: then what it lacks is deleted. */
  readonly base?: SessionStore | undefined;
}

/**
 * Write what you changed, durably and as a whole.
 *
 * The index is read again under the lock, and what others changed since you
 * loaded it stays: yours and theirs are merged field by field.
 */
export async function saveSessionStore(options: SaveOptions): Promise<void> {
  const { store, config } = options;
  const files = filesOf(options.agentDir, options);
  const ours = checkedStore(store, options);
  const base = options.base === undefined ? originOf(store) : checkedStore(options.base, options);
  await change(files, draftOptions(files, config), (draft) => {
    draft.replace(mergeStores(base, ours, draft.all()));
  });
  setOrigin(store, JSON.stringify(ours));
}

/** A copy with today's keys, so that what the caller does while it waits to be written changes nothing. */
function checkedStore(store: unknown, { config }: IndexOptions): SessionStore {
  if (!isPlainObject(store)) throw invalid("A store is an object of session keys and entries", "store");
  const found = Object.entries(store).map(([key, value]) => {
    const entry = structuredClone(checkEntry(value, key));
    return [resolveSessionKey({ sessionKey: key, config, channel: entry.channel }), entry] as const;
  });
  return settle(found);
}

/** Fields to set; `undefined` takes a field away. */
export type SessionPatch = Partial<SessionEntry>;

export interface EntryOptions extends IndexOptions {
  readonly sessionKey: string;
}

export interface PatchOptions extends EntryOptions {
  /** Or a function of what is there, called under the lock; `undefined` from it changes nothing. */
  readonly patch: SessionPatch | ((current: SessionEntry | undefined) => SessionPatch | undefined);
}

/**
 * Change some fields of one entry and leave the rest to others. Returns a copy
 * of the entry. One that is not there is begun when the patch has a
 * `sessionId`, else it is `NOT_FOUND`.
 */
export async function patchSessionEntry(options: PatchOptions): Promise<SessionEntry> {
  const files = filesOf(options.agentDir, options);
  const sessionKey = keyOf(options);
  const { patch } = options;
  const fields = typeof patch === "function" ? undefined : checkPatch(patch);
  const compute = typeof patch === "function" ? patch : () => fields;
  return change(files, draftOptions(files, options.config), (draft) => {
    const current = draft.get(sessionKey);
    const given = checkPatch(compute(structuredClone(current)));
    const entry = given === undefined ? current : patched(current, given, files.clock(), sessionKey);
    if (entry === undefined) throw notThere(sessionKey);
    if (given !== undefined) draft.put(sessionKey, entry);
    return structuredClone(entry);
  });
}

function checkPatch(patch: unknown): SessionPatch | undefined {
  if (patch === undefined) return undefined;
  if (!isPlainObject(patch)) throw invalid("A patch is an object of fields", "patch");
  for (const [field, value] of Object.entries(patch)) {
    if (field === "__proto__") throw invalid("patch has a member called __proto__", "patch");
    if (value !== undefined) assertJson(value, `patch.${field}`);
  }
  return { ...patch };
}

function patched(
  current: SessionEntry | undefined,
  patch: SessionPatch,
  nowMs: number,
  key: string,
): SessionEntry {
  if (current === undefined && patch.sessionId === undefined) throw notThere(key);
  const updatedAt = Math.max(current?.updatedAt ?? 0, patch.updatedAt ?? nowMs);
  const all = Object.entries({ ...current, ...patch, updatedAt });
  return checkEntry(Object.fromEntries(all.filter(([, value]) => value !== undefined)), key);
}

/** Take an entry out of the index. False when there was none. The conversation itself is not touched. */
export async function deleteSessionEntry(options: EntryOptions): Promise<boolean> {
  const files = filesOf(options.agentDir, options);
  const sessionKey = keyOf(options);
  return change(files, draftOptions(files, options.config), (draft: Draft) => {
    const found = draft.get(sessionKey) !== undefined;
    if (found) draft.put(sessionKey, undefined);
    return found;
  });
}

function keyOf({ sessionKey, config }: EntryOptions): string {
  return resolveSessionKey({ sessionKey, config });
}

function notThere(key: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no session ${key}. A patch with a sessionId begins one`, {
    field: "sessionKey",
  });
}
