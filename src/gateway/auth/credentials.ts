/** Whose credential it is: an access token or an access secret. */
import { unauthorized } from "../../errors.ts";
import type { Clock } from "../../util/time.ts";
import { type AccessClaims, verifyAccessToken } from "./access-token.ts";
import type { Principal } from "./principal.ts";
import { isCurrent, principalOf } from "./records/grants.ts";
import type { Records } from "./records/records.ts";
import { CREDENTIAL_CHARS_MAX } from "./records/secret-text.ts";
import { verifyingKey } from "./records/signing-keys.ts";
import { tokenOfSecret } from "./records/tokens.ts";

const VERIFIED_MAX = 1000;

export class Credentials {
  readonly #records: Records;
  readonly #clock: Clock;
  /** Tokens whose signature was verified: a hash for each request would be half of its cost. */
  readonly #verified = new Map<string, AccessClaims>();
  /** The key of a principal that came with an access token. */
  readonly #keys = new WeakMap<Principal, string>();

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** The records are read each time, so that a revocation counts from the next request on. */
  async check(credential: string): Promise<Principal> {
    if (credential.length > CREDENTIAL_CHARS_MAX) throw unauthorized("The credential is too long");
    return credential.split(".").length === 3 ? await this.#ofJwt(credential) : this.#ofSecret(credential);
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

  async #ofJwt(token: string): Promise<Principal> {
    const now = this.#clock();
    const known = this.#verified.get(token);
    const isKnown = known !== undefined && known.expiresAt > now;
    const claims = isKnown ? known : await verifyAccessToken(this.#records, now, token);
    if (!isKnown) this.#remember(token, claims);
    const principal = principalOf(this.#records, claims.signIn, now, claims.expiresAt);
    // A key that was retired at once takes its tokens with it, also those that were verified before.
    if (principal?.user !== claims.user || verifyingKey(this.#records, claims.key, now) === undefined) {
      this.#verified.delete(token);
      throw unauthorized("This sign-in has ended. Sign in again");
    }
    this.#keys.set(principal, claims.key);
    return principal;
  }

  #remember(token: string, claims: AccessClaims): void {
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.delete(this.#verified.keys().next().value ?? "");
    this.#verified.set(token, claims);
  }

  #ofSecret(secret: string): Principal {
    const id = tokenOfSecret(this.#records, secret);
    const principal = id === undefined ? undefined : principalOf(this.#records, id, this.#clock());
    if (principal === undefined) throw unauthorized("The token is not valid, or was revoked");
    return principal;
  }
}
