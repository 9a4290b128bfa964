/** The shape of a credential: which of its properties are secrets. */
import type { Credential, CredentialKind, Profile, SecretRef } from "./types.ts";

interface CredentialParts {
  /** The secret that is sent to the provider. */
  readonly secret: SecretRef | undefined;
  readonly refreshToken?: SecretRef | undefined;
  readonly expiresAt?: number | undefined;
}

/** `undefined` without the secret that the kind needs. */
export function makeCredential(type: CredentialKind, parts: CredentialParts): Credential | undefined {
  const { secret, refreshToken, expiresAt } = parts;
  if (type === "aws-sdk") return { type };
  if (secret === undefined) return undefined;
  if (type === "api-key") return { type, apiKey: secret };
  const expires = expiresAt === undefined ? {} : { expiresAt };
  if (type === "token") return { type, token: secret, ...expires };
  return { type, accessToken: secret, ...(refreshToken === undefined ? {} : { refreshToken }), ...expires };
}

const MEMBERS = ["apiKey", "token", "accessToken", "refreshToken"];

interface NamedSecret {
  readonly member: string;
  readonly ref: SecretRef;
}

/** Every secret of a credential, the one that is sent to the provider first. */
export function secretsOf(credential: Credential): NamedSecret[] {
  const values = credential as Readonly<Record<string, unknown>>;
  const members = MEMBERS.filter((member) => values[member] !== undefined);
  return members.map((member) => ({ member, ref: values[member] as SecretRef }));
}

/** The secret that is sent to the provider. */
export function mainSecret(credential: Credential): NamedSecret | undefined {
  return secretsOf(credential)[0];
}

/** The place that a sealed value belongs to. */
export function boundTo(id: string, member: string): string {
  return `${id}/${member}`;
}

export function expiryOf(credential: Credential): number | undefined {
  return credential.type === "oauth" || credential.type === "token" ? credential.expiresAt : undefined;
}

/** The credential with each secret replaced. */
export async function mapSecrets(
  { id, credential }: Pick<Profile, "id" | "credential">,
  change: (ref: SecretRef, bound: string) => Promise<SecretRef>,
): Promise<Credential> {
  let changed = credential;
  // Sequentially: they share the key, which the first one creates.
  for (const { member, ref } of secretsOf(credential)) {
    changed = { ...changed, [member]: await change(ref, boundTo(id, member)) };
  }
  return changed;
}
