import type { Draft } from "./config-build.ts";
import type { ConfigReads, Stamp } from "./files/reads.ts";

export interface CacheEntry {
  readonly draft: Draft;
  readonly atMs: number;
}

const CACHE_TTL_MS = 45_000;
const ENTRIES_MAX = 32;

const caches = new WeakMap<ConfigReads, Map<string, CacheEntry>>();

/** Step 2: what was loaded before is used again while it is young and nothing it was made of has changed. */
export function useCache(draft: Draft): void {
  const entry = caches.get(draft.reads)?.get(keyOf(draft));
  if (entry === undefined) return;
  const ageMs = draft.clock() - entry.atMs;
  const young = ageMs >= 0 && ageMs < (draft.options.cacheTtlMs ?? CACHE_TTL_MS);
  if (young && !hasChanged(entry.draft.stamps, draft.reads) && asksTheSame(entry.draft, draft)) {
    draft.cached = entry;
  }
}

export function remember(draft: Draft): void {
  const entries = caches.get(draft.reads) ?? new Map<string, CacheEntry>();
  caches.set(draft.reads, entries);
  entries.delete(keyOf(draft));
  entries.set(keyOf(draft), { draft, atMs: draft.clock() });
  if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value as string);
}

export function hasChanged(stamps: ReadonlyMap<string, Stamp>, reads: ConfigReads): boolean {
  for (const [path, stamp] of stamps) if (reads.stamp(path) !== stamp) return true;
  return false;
}

function asksTheSame(before: Draft, now: Draft): boolean {
  for (const [name, value] of before.asked) if (now.realEnv[name] !== value) return false;
  return true;
}

function keyOf({ options, file, home }: Draft): string {
  const { stateDir, overrides = [], tolerant = false } = options;
  return JSON.stringify([stateDir, file, home, tolerant, overrides]);
}
