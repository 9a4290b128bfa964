/** Changes of a set of profiles. Pure: each returns a new set. */
import { ColloquyError } from "../../../errors.ts";
import type { Profile, ProfileSet, Usage } from "../types.ts";
import { noSuchProfile } from "./names.ts";

/** The usage of the former profile says nothing about the new one. */
export function withProfile(set: ProfileSet, profile: Profile, replace: boolean): ProfileSet {
  if (set.profiles.has(profile.id) && !replace) {
    const message = `The profile ${profile.id} already exists: choose another name, or replace it with --replace`;
    throw new ColloquyError("CONFLICT", message, { field: "name" });
  }
  return {
    ...set,
    usage: without(set.usage, profile.id),
    unreadable: without(set.unreadable, profile.id),
    profiles: new Map([...set.profiles, [profile.id, profile]]),
  };
}

export function withoutProfile(set: ProfileSet, id: string): ProfileSet {
  if (!set.profiles.has(id)) throw noSuchProfile(id, set.profiles.keys());
  const order = [...set.order].map(([provider, ids]) => [provider, ids.filter((key) => key !== id)] as const);
  return {
    ...set,
    profiles: without(set.profiles, id),
    usage: without(set.usage, id),
    order: new Map(order.filter(([, ids]) => ids.length > 0)),
  };
}

/** An empty order removes it. */
export function withOrder(set: ProfileSet, provider: string, ids: readonly string[]): ProfileSet {
  const others = without(set.order, provider);
  return { ...set, order: ids.length === 0 ? others : others.set(provider, ids) };
}

export function withUsage(set: ProfileSet, id: string, change: (usage: Usage) => Usage): ProfileSet {
  return { ...set, usage: new Map([...set.usage, [id, change(set.usage.get(id) ?? {})]]) };
}

function without<T>(map: ReadonlyMap<string, T>, id: string): Map<string, T> {
  return new Map([...map].filter(([key]) => key !== id));
}
