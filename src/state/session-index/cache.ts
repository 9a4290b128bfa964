/**
 * The last reading of each index, by path.
 *
 * It keeps the text and not the objects parsed from it: parsing creates a
 * separate copy for every caller, in a quarter of the time that `structuredClone`
 * takes for ten thousand entries.
 */
import type { FileStat } from "../../disk/file-io.ts";
import { TimedCache } from "../timed-cache.ts";
import type { SessionStore } from "./entry.ts";

export interface CachedIndex {
  readonly stat: FileStat;
  /** The entries alone, with canonical keys. */
  readonly text: string;
  /** The country that the keys were resolved with. */
  readonly country: string | undefined;
}

const cache = new TimedCache<CachedIndex>();

/** The last reading, if it is young and the file is unchanged. */
export function recall(
  path: string,
  stat: FileStat,
  country: string | undefined,
  ttlMs: number | undefined,
): CachedIndex | undefined {
  const found = cache.get(path, performance.now(), ttlMs);
  if (found === undefined || found.country !== country) return undefined;
  return isSameFile(found.stat, stat) ? found : undefined;
}

export function remember(path: string, index: CachedIndex): void {
  cache.set(path, index, performance.now());
}

export function forget(path: string): void {
  cache.delete(path);
}

function isSameFile(one: FileStat, other: FileStat): boolean {
  return one.inode === other.inode && one.modifiedNs === other.modifiedNs && one.size === other.size;
}

/** The text that each loaded store was parsed from, for as long as the caller holds the store. */
const origins = new WeakMap<SessionStore, string>();

export function setOrigin(store: SessionStore, text: string): void {
  origins.set(store, text);
}

/** The store as it was when its holder loaded or saved it. */
export function originOf(store: SessionStore): SessionStore | undefined {
  const text = origins.get(store);
  return text === undefined ? undefined : (JSON.parse(text) as SessionStore);
}
