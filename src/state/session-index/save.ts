import { invalid } from "../../errors.ts";
import { resolveSessionKey } from "../../key/index.ts";
import { isPlainObject } from "../../util/json.ts";
import { originOf, setOrigin } from "./cache.ts";
import { settle } from "./document.ts";
import { checkEntry, type SessionStore } from "./entry.ts";
import { filesOf } from "./files.ts";
import { editOptions, type IndexOptions } from "./load.ts";
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
  await change(files, editOptions(files, config), (edit) => {
    edit.replace(mergeStores(base, ours, edit.all()));
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
