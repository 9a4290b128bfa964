import type { ConfigBuild } from "./config-build.ts";
import type { ConfigReads, Stamp } from "./files/reads.ts";

export interface CacheEntry {
  readonly build: ConfigBuild;
  readonly atMs: number;
}

const CACHE_TTL_MS = 45_000;
const ENTRIES_MAX = 32;

const caches = new WeakMap<ConfigReads, Map<string, CacheEntry>>();

/** Step 2: what was loaded before is used again while it is young and nothing it was made of has changed. */
export function useCache(build: ConfigBuild): void {
  const entry = caches.get(build.reads)?.get(keyOf(build));
  if (entry === undefined) return;
  const ageMs = build.clock() - entry.atMs;
  const young = ageMs >= 0 && ageMs < (build.options.cacheTtlMs ?? CACHE_TTL_MS);
  if (young && !hasChanged(entry.build.stamps, build.reads) && asksTheSame(entry.build, build)) {
    build.cached = entry;
  }
}

export function remember(build: ConfigBuild): void {
  const entries = caches.get(build.reads) ?? new Map<string, CacheEntry>();
  caches.set(build.reads, entries);
  entries.delete(keyOf(build));
  entries.set(keyOf(build), { build, atMs: build.clock() });
  if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value as string);
}

export function hasChanged(stamps: ReadonlyMap<string, Stamp>, reads: ConfigReads): boolean {
  for (const [path, stamp] of stamps) if (reads.stamp(path) !== stamp) return true;
  return false;
}

function asksTheSame(before: ConfigBuild, now: ConfigBuild): boolean {
  for (const [name, value] of before.asked) if (now.realEnv[name] !== value) return false;
  return true;
}

function keyOf({ options, file, home }: ConfigBuild): string {
  const { stateDir, overrides = [], tolerant = false } = options;
  return JSON.stringify([stateDir, file, home, tolerant, overrides]);
}
