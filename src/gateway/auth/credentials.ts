/** Whose credential it is: an access token or an access secret. */
import { unauthorized } from "../../errors.ts";
import type { Clock } from "../../util/time.ts";
import { type AccessClaims, isAccessToken, verifyAccessToken } from "./access-token.ts";
import type { Principal } from "./principal.ts";
import { isCurrent, principalOf } from "./records/grants.ts";
import type { Records } from "./records/records.ts";
import { CREDENTIAL_CHARS_MAX } from "./records/secret-text.ts";
import { verifyingKey } from "./records/signing-keys.ts";
import { tokenOfSecret } from "./records/tokens.ts";

const KNOWN_MAX = 1000;

interface Known {
  readonly principal: Principal;
  /** Of the records that were read. */
  readonly version: string;
  /** Of an access token, whose signature was verified. */
  readonly claims: AccessClaims | undefined;
}

export class Credentials {
  readonly #records: Records;
  readonly #clock: Clock;
  /** Credentials that were valid. To look each of them up for each request would cost more than many answers. */
  readonly #known = new Map<string, Known>();
  /** The key of a principal that came with an access token. */
  readonly #keys = new WeakMap<Principal, string>();

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** The records are asked each time whether anything has changed: a revocation counts from the next request on. */
  async check(credential: string): Promise<Principal> {
    if (credential.length > CREDENTIAL_CHARS_MAX) throw unauthorized("The credential is too long");
    const now = this.#clock();
    // Before they are read: a change in between is noticed the next time.
    const version = this.#records.version();
    const known = this.#known.get(credential);
    if (known?.version === version && known.principal.expiresAt > now) return known.principal;
    this.#known.delete(credential);
    const isJwt = isAccessToken(credential);
    const claims = isJwt ? await this.#claimsOf(credential, known?.claims, now) : undefined;
    const principal = claims === undefined ? this.#ofSecret(credential, now) : this.#ofClaims(claims, now);
    if (this.#known.size >= KNOWN_MAX) this.#known.delete(this.#known.keys().next().value ?? "");
    this.#known.set(credential, { principal, version, claims });
    return principal;
  }

  /** Whether a principal is still what it was when it was checked. */
  isCurrent(principal: Principal): boolean {
    try {
      const now = this.#clock();
      const key = this.#keys.get(principal);
      const hasKey = key === undefined || verifyingKey(this.#records, key, now) !== undefined;
      return hasKey && isCurrent(this.#records, principal, now);
    } catch {
      return false;
    }
  }

  async #claimsOf(token: string, known: AccessClaims | undefined, now: number): Promise<AccessClaims> {
    const isKnown = known !== undefined && known.expiresAt > now;
    return isKnown ? known : await verifyAccessToken(this.#records, now, token);
  }

  #ofClaims({ signIn, user, key: id, expiresAt }: AccessClaims, now: number): Principal {
    // A key that was retired at once takes its tokens with it, also those that were verified before.
    const key = verifyingKey(this.#records, id, now);
    const until = Math.min(expiresAt, key?.retiresAt ?? 0);
    const principal = principalOf(this.#records, signIn, now, until);
    if (principal?.user !== user) throw unauthorized("This sign-in has ended. Sign in again");
    this.#keys.set(principal, id);
    return principal;
  }

  #ofSecret(secret: string, now: number): Principal {
    const id = tokenOfSecret(this.#records, secret);
    const principal = id === undefined ? undefined : principalOf(this.#records, id, now);
    if (principal === undefined) throw unauthorized("The token is not valid, or was revoked");
    return principal;
  }
}
