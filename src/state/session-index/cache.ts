/**
 * What was read last, by path.
 *
 * Kept is the text, not the objects made of it: parsing it again gives every
 * caller objects of his own, in a quarter of the time that `structuredClone`
 * takes for ten thousand entries.
 */
import type { FileStat } from "../../disk/file-io.ts";
import type { SessionStore } from "./entry.ts";

export const CACHE_TTL_MS = 45_000;
const PATHS_MAX = 32;

export interface CachedIndex {
  readonly stat: FileStat;
  /** Of the entries alone, with keys as they are written today. */
  readonly text: string;
  /** What the keys were resolved with. */
  readonly country: string | undefined;
  readonly atMs: number;
}

const cached = new Map<string, CachedIndex>();

/** What was read, if the file is still the same and it was not too long ago. */
export function recall(
  path: string,
  stat: FileStat,
  country: string | undefined,
  ttlMs: number,
): CachedIndex | undefined {
  const found = cached.get(path);
  if (found === undefined || ttlMs <= 0) return undefined;
  const isFresh = performance.now() - found.atMs < ttlMs;
  return isFresh && found.country === country && isSameFile(found.stat, stat) ? found : undefined;
}

export function remember(path: string, index: Omit<CachedIndex, "atMs">): void {
  cached.delete(path);
  cached.set(path, { ...index, atMs: performance.now() });
  if (cached.size > PATHS_MAX) cached.delete(cached.keys().next().value as string);
}

export function forget(path: string): void {
  cached.delete(path);
}

function isSameFile(one: FileStat, other: FileStat): boolean {
  return one.inode === other.inode && one.modifiedNs === other.modifiedNs && one.size === other.size;
}

/** The text that each store was made from, for as long as somebody has it. */
const origins = new WeakMap<SessionStore, string>();

export function setOrigin(store: SessionStore, text: string): void {
  origins.set(store, text);
}

/** The store as it was when its holder loaded or saved it. */
export function originOf(store: SessionStore): SessionStore | undefined {
  const text = origins.get(store);
  return text === undefined ? undefined : (JSON.parse(text) as SessionStore);
}
