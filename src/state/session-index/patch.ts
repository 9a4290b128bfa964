import { ColloquyError, invalid } from "../../errors.ts";
import { resolveSessionKey } from "../../key/index.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { assertJson, isPlainObject } from "../../util/json.ts";
import { checkEntry, type SessionEntry } from "./entry.ts";
import { filesOf } from "./files.ts";
import { editOptions, type IndexOptions } from "./load.ts";
import { change } from "./queue.ts";

/** Fields to set; `undefined` removes a field. */
export type SessionPatch = Partial<SessionEntry>;

export interface EntryOptions extends IndexOptions {
  readonly sessionKey: string;
}

export interface PatchOptions extends EntryOptions {
  /** The fields, or a function that gets the current entry under the lock; `undefined` changes nothing. */
  readonly patch: SessionPatch | ((current: SessionEntry | undefined) => SessionPatch | undefined);
}

/**
 * Change some fields of one entry. Returns a copy of the entry. A missing entry
 * is created if the patch has a `sessionId`, otherwise it is `NOT_FOUND`.
 */
export async function patchSessionEntry(options: PatchOptions): Promise<SessionEntry> {
  checkObject(options, "options");
  const files = filesOf(options.agentDir, options);
  const sessionKey = keyOf(options);
  const { patch } = options;
  const fields = typeof patch === "function" ? undefined : checkPatch(patch);
  const compute = typeof patch === "function" ? patch : () => fields;
  return change(files, editOptions(files, options.config), (edit) => {
    const current = edit.get(sessionKey);
    const given = checkPatch(compute(structuredClone(current)));
    const entry = given === undefined ? current : patched(current, given, files.clock(), sessionKey);
    if (entry === undefined) throw notThere(sessionKey);
    if (given !== undefined) edit.put(sessionKey, entry);
    return structuredClone(entry);
  });
}

function checkPatch(patch: unknown): SessionPatch | undefined {
  if (patch === undefined) return undefined;
  if (!isPlainObject(patch)) throw invalid("patch must be an object of fields", "patch");
  for (const [field, value] of Object.entries(patch)) {
    if (field === "__proto__") throw invalid("patch has a property called __proto__", "patch");
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

/** Remove an entry from the index. False when there was none. Does not touch the conversation. */
export async function deleteSessionEntry(options: EntryOptions): Promise<boolean> {
  checkObject(options, "options");
  const files = filesOf(options.agentDir, options);
  const sessionKey = keyOf(options);
  return change(files, editOptions(files, options.config), (edit) => {
    const found = edit.get(sessionKey) !== undefined;
    if (found) edit.put(sessionKey, undefined);
    return found;
  });
}

function keyOf({ sessionKey, config }: EntryOptions): string {
  return resolveSessionKey({ sessionKey, config });
}

function notThere(key: string): ColloquyError {
  return new ColloquyError("NOT_FOUND", `There is no session ${key}. A patch with a sessionId creates one`, {
    field: "sessionKey",
  });
}
