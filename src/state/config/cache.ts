import { TimedCache } from "../timed-cache.ts";
import type { ConfigBuild } from "./config-build.ts";
import type { ConfigReads, Stamp } from "./files/reads.ts";

/** By the file access that was used: a test that brings its own never sees configs of others. */
const caches = new WeakMap<ConfigReads, TimedCache<ConfigBuild>>();

/** Step 2: reuse the last build while it is young and nothing it was built from has changed. */
export function useCache(build: ConfigBuild): void {
  const found = caches.get(build.reads)?.get(keyOf(build), build.clock(), build.options.cacheTtlMs);
  if (found === undefined || hasChanged(found.stamps, build.reads)) return;
  if (readsSameVariables(found, build)) build.cached = found;
}

export function remember(build: ConfigBuild): void {
  const cache = caches.get(build.reads) ?? new TimedCache<ConfigBuild>();
  caches.set(build.reads, cache);
  cache.set(keyOf(build), build, build.clock());
}

export function hasChanged(stamps: ReadonlyMap<string, Stamp>, reads: ConfigReads): boolean {
  for (const [path, stamp] of stamps) if (reads.stamp(path) !== stamp) return true;
  return false;
}

function readsSameVariables(before: ConfigBuild, now: ConfigBuild): boolean {
  for (const [name, value] of before.asked) if (now.realEnv[name] !== value) return false;
  return true;
}

function keyOf({ options, file, home }: ConfigBuild): string {
  const { stateDir, overrides = [], tolerant = false, sections = null } = options;
  return JSON.stringify([stateDir, file, home, tolerant, sections, overrides]);
}
