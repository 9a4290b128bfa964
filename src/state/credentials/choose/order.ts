/** The order in which profiles of a provider are tried. Pure. */

import type { Profile, Usage } from "../types.ts";
import { restsUntil } from "./cooldown.ts";

export interface Ranked {
  readonly profile: Profile;
  readonly usage: Usage;
  readonly restsUntil: number | undefined;
}

/**
 * First the order of the user, then the least recently used. Paused profiles
 * come last, in the order in which their cooldowns end.
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
