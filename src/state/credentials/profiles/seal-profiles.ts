/** Nothing is written in plain text: plain values are sealed first. */
import { mapSecrets } from "../credential.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Profile, ProfileSet, SecretRef } from "../types.ts";

type Change = (ref: SecretRef, bound: string) => Promise<SecretRef>;

/** Includes values that the user or another program wrote into the file. */
export function sealPlain(secrets: Secrets, set: ProfileSet): Promise<ProfileSet> {
  return eachSecret(set, async (ref, bound) => (typeof ref === "string" ? secrets.seal(ref, bound) : ref));
}

/** Seal with the current key. A value that no key decrypts stays unchanged. */
export function sealAgain(secrets: Secrets, set: ProfileSet): Promise<ProfileSet> {
  return eachSecret(set, async (ref, bound) => {
    if (typeof ref === "string" || !("sealed" in ref)) return ref;
    const secret = await secrets.get(ref, bound);
    return secret.ok ? secrets.seal(secret.value, bound) : ref;
  });
}

/** Sequentially: they share the key, which the first one creates. */
async function eachSecret(set: ProfileSet, change: Change): Promise<ProfileSet> {
  const profiles = new Map<string, Profile>();
  for (const [id, profile] of set.profiles) {
    profiles.set(id, { ...profile, credential: await mapSecrets(profile, change) });
  }
  return { ...set, profiles };
}
