import { invalid } from "../../errors.ts";
import { resolveSessionKey } from "../../key/index.ts";
import { checkObject } from "../../util/checked-arguments.ts";
import { isPlainObject } from "../../util/json.ts";
import { originOf, setOrigin } from "./cache.ts";
import { settle } from "./document.ts";
import { checkEntry, type SessionStore } from "./entry.ts";
import { filesOf } from "./files.ts";
import { editOptions, type IndexOptions } from "./load.ts";
import { mergeStores } from "./merge.ts";
import { change } from "./queue.ts";

export interface SaveOptions extends IndexOptions {
  /** As returned by `loadSessionStore` and changed in place; or a new object, whose missing keys delete nothing. */
  readonly store: SessionStore;
  /** The version that `store` was made from, if it was not loaded. Keys that `store` lacks are then deleted. */
  readonly base?: SessionStore | undefined;
}

/**
 * Write the changes durably and atomically.
 *
 * The index is read again under the lock. Changes that others made since it was
 * loaded stay: both are merged field by field.
 */
export async function saveSessionStore(options: SaveOptions): Promise<void> {
  checkObject(options, "options");
  const { store, config } = options;
  const files = filesOf(options.agentDir, options);
  const ours = checkedStore(store, options);
  const base = options.base === undefined ? originOf(store) : checkedStore(options.base, options);
  await change(files, editOptions(files, config), (edit) => {
    edit.replace(mergeStores(base, ours, edit.all()));
  });
  setOrigin(store, JSON.stringify(ours));
}

/** A copy with canonical keys, so that later changes of the caller have no effect. */
function checkedStore(store: unknown, { config }: IndexOptions): SessionStore {
  if (!isPlainObject(store)) throw invalid("store must be an object of entries by session key", "store");
  const found = Object.entries(store).map(([key, value]) => {
    const entry = structuredClone(checkEntry(value, key));
    return [resolveSessionKey({ sessionKey: key, config, channel: entry.channel }), entry] as const;
  });
  return settle(found);
}
