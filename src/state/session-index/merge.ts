/**
 * Merges two changed versions of an index, field by field, with their base.
 *
 * A field that one side changed is taken from that side; one that both changed,
 * from the entry that was updated last. An entry that one side deleted stays
 * deleted, unless the other side put another conversation under the key.
 */
import { isDeepStrictEqual } from "node:util";
import { settle } from "./document.ts";
import type { SessionEntry, SessionStore } from "./entry.ts";

/** Fields that describe the conversation and not the key. */
const OF_THE_CONVERSATION: ReadonlySet<string> = new Set([
  "sessionFile",
  "inputTokens",
  "outputTokens",
  "totalTokens",
  "totalTokensFresh",
  "cacheRead",
  "cacheWrite",
  "compactionCount",
]);

/**
 * `base` is the version that `ours` was made from; without it nothing counts as
 * deleted. Two new conversations under one key are both kept.
 */
export function mergeStores(
  base: SessionStore | undefined,
  ours: SessionStore,
  theirs: SessionStore,
): SessionStore {
  const merged: (readonly [string, SessionEntry])[] = [];
  for (const key of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const entries = mergeEntry(own(base, key), own(ours, key), own(theirs, key), base !== undefined);
    for (const entry of entries) merged.push([key, entry]);
  }
  return settle(merged);
}

function own(store: SessionStore | undefined, key: string): SessionEntry | undefined {
  return store !== undefined && Object.hasOwn(store, key) ? store[key] : undefined;
}

function mergeEntry(
  base: SessionEntry | undefined,
  ours: SessionEntry | undefined,
  theirs: SessionEntry | undefined,
  baseKnown: boolean,
): readonly SessionEntry[] {
  if (ours === undefined || theirs === undefined) {
    const kept = (ours ?? theirs) as SessionEntry;
    const deleted = baseKnown && base !== undefined && kept.sessionId === base.sessionId;
    return deleted ? [] : [kept];
  }
  if (base === undefined) return [ours, theirs];
  if (same(ours, base)) return [theirs];
  return [same(theirs, base) ? ours : mergeFields(base, ours, theirs)];
}

function mergeFields(base: SessionEntry, ours: SessionEntry, theirs: SessionEntry): SessionEntry {
  const oursIsNewer = ours.updatedAt >= theirs.updatedAt;
  const pick = (field: string): SessionEntry => {
    if (same(ours[field], base[field])) return theirs;
    if (same(theirs[field], base[field])) return ours;
    return oursIsNewer ? ours : theirs;
  };
  const leader = pick("sessionId");
  const moved = ours.sessionId !== theirs.sessionId;
  const fields: [string, unknown][] = [];
  for (const field of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
    const from = moved && OF_THE_CONVERSATION.has(field) ? leader : pick(field);
    if (Object.hasOwn(from, field)) fields.push([field, from[field]]);
  }
  const updatedAt = Math.max(ours.updatedAt, theirs.updatedAt);
  return { ...Object.fromEntries(fields), sessionId: leader.sessionId, updatedAt };
}

function same(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || (typeof one === "object" && isDeepStrictEqual(one, other));
}
