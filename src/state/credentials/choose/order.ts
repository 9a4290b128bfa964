/** Which profile of a provider comes first. Pure. */

import type { Profile, Usage } from "../types.ts";
import { restsUntil } from "./cooldown.ts";

export interface Ranked {
  readonly profile: Profile;
  readonly usage: Usage;
  readonly restsUntil: number | undefined;
}

/**
 * The order that a person set, then those that were not used for longest.
 * Profiles that rest come last, whose rest ends first before the others.
 */
export function rank(
  profiles: readonly Profile[],
  usage: ReadonlyMap<string, Usage>,
  explicit: readonly string[],
  now: number,
): Ranked[] {
  const place = (id: string): number => {
    const index = explicit.indexOf(id);
    return index === -1 ? explicit.length : index;
  };
  return profiles
    .map((profile) => {
      const own = usage.get(profile.id) ?? {};
      return { profile, usage: own, restsUntil: restsUntil(own, now) };
    })
    .sort(
      (a, b) =>
        (a.restsUntil ?? 0) - (b.restsUntil ?? 0) ||
        place(a.profile.id) - place(b.profile.id) ||
        (a.usage.lastUsed ?? 0) - (b.usage.lastUsed ?? 0),
    );
}
