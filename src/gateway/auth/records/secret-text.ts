/** Secrets that the gateway makes: 256 random bits, with a beginning that says what they open. Only hashes are stored. */
import { crypto, sha256Hex } from "../../../util/sha256.ts";
import type { Random } from "../../../util/uuid.ts";

const BYTES = 32;
/** Longer than anything that is issued: a credential beyond it is not even hashed. */
export const CREDENTIAL_CHARS_MAX = 4096;

/** `cqt_` opens the gateway, `cqr_` renews a sign-in, `cql_` is a sign-in link, `cqw_` a ticket, `cqd_` a device. */
export type SecretKind = "cqt_" | "cqr_" | "cql_" | "cqw_" | "cqd_";

export function newSecret(kind: SecretKind, random: Random): string {
  const bytes = Buffer.alloc(BYTES);
  random(bytes);
  return secretOf(kind, bytes);
}

/**
 * The secret that follows another one. Derived, so that a repeated request returns the same, and no copy of it has to
 * be kept; without the key it cannot be told from a random one.
 */
export function nextSecret(kind: SecretKind, key: Buffer, secret: string): string {
  return secretOf(kind, crypto().createHmac("sha256", key).update(secret).digest());
}

function secretOf(kind: SecretKind, bytes: Buffer): string {
  return kind + bytes.toString("base64url");
}

export function hashOf(secret: string): string {
  return sha256Hex(secret);
}
