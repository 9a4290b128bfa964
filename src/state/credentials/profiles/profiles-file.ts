/** The text of `profiles.json`, to a set of profiles and back. */
import { isPlainObject } from "../../../util/json.ts";
import { parseSecretJson, refuseNewer } from "../secret/secret-json.ts";
import type { Profile, ProfileSet } from "../types.ts";
import { parseOrder, parseProfile, parseUsages } from "./parse-profile.ts";

const VERSION = 1;

export const NO_PROFILES: ProfileSet = {
  profiles: new Map(),
  usage: new Map(),
  order: new Map(),
  unreadable: new Map(),
  rest: {},
};

/** Where the text stops being a set of profiles. */
export interface Damage {
  readonly line: number;
  readonly column: number;
}

/** Refuses a file of a newer version. Any other content that is not a set of profiles is damage. */
export function parseProfiles(text: string, path: string): ProfileSet | Damage {
  const parsed = parseSecretJson(text);
  if (!("value" in parsed)) return parsed;
  const { value } = parsed;
  if (!isPlainObject(value) || !isPlainObject(value.profiles)) return { line: 1, column: 1 };
  refuseNewer(value, VERSION, path);
  const { version: _version, profiles: listed, usage, order, ...rest } = value;
  const profiles = new Map<string, Profile>();
  const unreadable = new Map<string, unknown>();
  for (const [id, entry] of Object.entries(listed as object)) {
    const profile = parseProfile(id, entry);
    if (profile === undefined) unreadable.set(id, entry);
    else profiles.set(id, profile);
  }
  return { profiles, unreadable, usage: parseUsages(usage), order: parseOrder(order), rest };
}

export function profilesText({ profiles, usage, order, unreadable, rest }: ProfileSet): string {
  const listed = [...profiles].map(([id, { id: _id, rest, ...profile }]) => [id, { ...profile, ...rest }]);
  const document = {
    version: VERSION,
    ...rest,
    profiles: Object.fromEntries([...listed, ...unreadable]),
    order: Object.fromEntries(order),
    usage: Object.fromEntries(usage),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
