/** A profile as it may be shown: where its secret is, whether it can be had, at most its last four characters. */

import { maskSecret } from "../../../secrets/mask.ts";
import type { Environment } from "../../folder.ts";
import { awsCredentials } from "../secret/check-secret.ts";
import { boundTo, expiryOf, mainSecret } from "../secret/secret-members.ts";
import { describeSource, type Secrets } from "../secret/secrets.ts";
import type { Profile, ProfileView, Usage } from "../types.ts";

/** Outside of a listing the secret was asked for already, a command's too. */
export interface Had {
  readonly masked: string | null;
  readonly problem: string | null;
}

async function had(secrets: Secrets, env: Environment, { id, credential }: Profile): Promise<Had> {
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

/** Without running anything. */
export async function hadQuietly(secrets: Secrets, env: Environment, profile: Profile): Promise<Had> {
  const { type } = describeSource(mainSecret(profile.credential)?.ref);
  return type === "command" ? { masked: null, problem: null } : had(secrets, env, profile);
}

export function viewOf(
  profile: Profile,
  usage: Usage,
  origin: ProfileView["origin"],
  { masked, problem }: Had,
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
