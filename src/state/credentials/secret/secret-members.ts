/** Which properties of a credential hold secrets. */
import type { Credential, Profile, SecretRef } from "../types.ts";

/** The secret that is sent to the provider. */
export function mainSecret(credential: Credential): { member: string; ref: SecretRef } | undefined {
  switch (credential.type) {
    case "api-key":
      return { member: "apiKey", ref: credential.apiKey };
    case "oauth":
      return { member: "accessToken", ref: credential.accessToken };
    case "token":
      return { member: "token", ref: credential.token };
    case "aws-sdk":
      return undefined;
  }
}

/** What a sealed value belongs to. */
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
  const changed = (member: string, ref: SecretRef): Promise<SecretRef> => change(ref, boundTo(id, member));
  switch (credential.type) {
    case "api-key":
      return { ...credential, apiKey: await changed("apiKey", credential.apiKey) };
    case "token":
      return { ...credential, token: await changed("token", credential.token) };
    case "oauth": {
      const accessToken = await changed("accessToken", credential.accessToken);
      if (credential.refreshToken === undefined) return { ...credential, accessToken };
      return {
        ...credential,
        accessToken,
        refreshToken: await changed("refreshToken", credential.refreshToken),
      };
    }
    case "aws-sdk":
      return credential;
  }
}
