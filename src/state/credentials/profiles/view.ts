/** A profile that is safe to show: where its secret is, whether it is available, at most its last four characters. */
import { maskSecret } from "../../../secrets/mask.ts";
import type { Environment } from "../../folder.ts";
import { boundTo, expiryOf, mainSecret } from "../credential.ts";
import { awsCredentials } from "../secret/check-secret.ts";
import { describeSource, type Secrets } from "../secret/secrets.ts";
import type { Profile, ProfileView, Usage } from "../types.ts";

/** What is known about the secret of a profile. */
export interface SecretState {
  readonly masked: string | null;
  readonly problem: string | null;
}

async function readSecret(
  secrets: Secrets,
  env: Environment,
  { id, credential }: Profile,
): Promise<SecretState> {
  const main = mainSecret(credential);
  if (main === undefined) {
    return {
      masked: null,
      problem: awsCredentials(env) ? null : "AWS credentials are not set up on this machine",
    };
  }
  const secret = await secrets.get(main.ref, boundTo(id, main.member));
  if (secret.ok) return { masked: maskSecret(secret.value), problem: null };
  return { masked: null, problem: secret.reason };
}

/** Read the secret, unless that would run a command. */
export async function tryRead(secrets: Secrets, env: Environment, profile: Profile): Promise<SecretState> {
  const { type } = describeSource(mainSecret(profile.credential)?.ref);
  return type === "command" ? { masked: null, problem: null } : readSecret(secrets, env, profile);
}

export function viewOf(
  profile: Profile,
  usage: Usage,
  origin: ProfileView["origin"],
  { masked, problem }: SecretState,
): ProfileView {
  const { id, provider, credential, createdAt, email } = profile;
  return {
    id,
    provider,
    kind: credential.type,
    origin,
    source: describeSource(mainSecret(credential)?.ref),
    masked,
    problem,
    expiresAt: expiryOf(credential) ?? null,
    createdAt: createdAt ?? null,
    email: email ?? null,
    ...usage,
  };
}
