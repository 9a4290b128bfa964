/** Who may use a gateway. The only door to its records: HTTP, WebSocket and the command all ask here. */
import type { JsonObject } from "../../util/json.ts";
import { type Clock, checkedClock, systemClock } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type { Incoming } from "../http/incoming.ts";
import type { TokenInfo } from "../wire/auth.ts";
import { type AccessClaims, signAccessToken, verifyAccessToken } from "./access-token.ts";
import { type Client, clientOf } from "./client.ts";
import { credentialOf } from "./credential-of.ts";
import { Ended } from "./ended.ts";
import { keepUsers } from "./login/keep-config.ts";
import { type Login, prove } from "./login/login.ts";
import { newLinkCode, Tickets } from "./one-time.ts";
import type { AuthParts } from "./parts.ts";
import { OWNER, type Principal } from "./principal.ts";
import { note } from "./records/audit.ts";
import { isCurrent, principalOf, unauthorized } from "./records/grants.ts";
import { Records } from "./records/records.ts";
import { CREDENTIAL_CHARS_MAX } from "./records/secret-text.ts";
import { addSignIn, ReusedError, revokeSignIn, type SignIn, useRefreshToken } from "./records/sign-ins.ts";
import { currentKey, rotateKeys, verifyingKey } from "./records/signing-keys.ts";
import { createToken, type NewToken, revokeToken, tokenOfSecret } from "./records/tokens.ts";
import { type AuthSettings, authSettings } from "./settings.ts";

/** A new or renewed sign-in. */
export interface Session {
  readonly principal: Principal;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface AuthOptions {
  readonly stateDir: string;
  /** `gateway` of the config. */
  readonly config: JsonObject;
  readonly clock?: Clock;
  readonly random?: Random;
}

const USED_FLUSH_MS = 60_000;
const VERIFIED_MAX = 1000;

export class Auth implements AuthParts, AsyncDisposable {
  readonly records: Records;
  readonly clock: Clock;
  readonly random: Random;
  #settings: AuthSettings;
  readonly #tickets: Tickets;
  readonly #ended: Ended;
  /** Tokens whose signature was verified: a hash for each request would be half of its cost. */
  readonly #verified = new Map<string, AccessClaims>();
  /** The key of a principal that came with an access token. */
  readonly #keys = new WeakMap<Principal, string>();
  readonly #used = new Map<string, number>();
  readonly #flushTimer: NodeJS.Timeout;

  private constructor(records: Records, settings: AuthSettings, clock: Clock, random: Random) {
    this.records = records;
    this.#settings = settings;
    this.clock = clock;
    this.random = random;
    this.#tickets = new Tickets(clock, random);
    this.#ended = new Ended(records, clock, (principal) => this.#isCurrent(principal));
    this.#flushTimer = setInterval(() => this.#flushUsed(), USED_FLUSH_MS).unref();
  }

  /** Refuses unsafe settings before anything is written. */
  static async open({
    stateDir,
    config,
    clock = systemClock,
    random = systemRandom,
  }: AuthOptions): Promise<Auth> {
    const settings = authSettings(config);
    const auth = new Auth(await Records.open(stateDir), settings, checkedClock(clock), random);
    try {
      currentKey(auth.records, random, auth.clock());
      await keepUsers(auth.records, random, auth.clock(), settings);
      return auth;
    } catch (error) {
      await auth.close();
      throw error;
    }
  }

  get settings(): AuthSettings {
    return this.#settings;
  }

  /** The config changed. Logins of a former password, token or user end. Refused settings change nothing. */
  async configure(config: JsonObject): Promise<void> {
    const settings = authSettings(config);
    await keepUsers(this.records, this.random, this.clock(), settings);
    this.#settings = settings;
  }

  /**
   * The principal of an access token or access secret. Throws `UNAUTHORIZED`.
   *
   * The records are read each time, so that a revocation counts from the next request on.
   */
  async check(credential: string): Promise<Principal> {
    if (credential.length > CREDENTIAL_CHARS_MAX) throw unauthorized("The credential is too long");
    const principal =
      credential.split(".").length === 3 ? await this.#ofJwt(credential) : this.#ofSecret(credential);
    this.#used.set(principal.tokenId, this.clock());
    return principal;
  }

  async #ofJwt(token: string): Promise<Principal> {
    const now = this.clock();
    const known = this.#verified.get(token);
    const isKnown = known !== undefined && known.expiresAt > now;
    const claims = isKnown ? known : await verifyAccessToken(this.records, now, token);
    if (!isKnown) this.#remember(token, claims);
    const principal = principalOf(this.records, claims.signIn, now, claims.expiresAt);
    // A key that was retired at once takes its tokens with it, also those that were verified before.
    if (principal?.user !== claims.user || verifyingKey(this.records, claims.key, now) === undefined) {
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
    const id = tokenOfSecret(this.records, secret);
    const principal = id === undefined ? undefined : principalOf(this.records, id, this.clock());
    if (principal === undefined) throw unauthorized("The token is not valid, or was revoked");
    return principal;
  }

  /** Call `listener` once, within a second, when the principal is revoked, narrowed or expired. */
  onEnded(principal: Principal, listener: () => void): () => void {
    return this.#ended.add(principal, listener);
  }

  #isCurrent(principal: Principal): boolean {
    try {
      const now = this.clock();
      const key = this.#keys.get(principal);
      const hasKey = key === undefined || verifyingKey(this.records, key, now) !== undefined;
      return hasKey && isCurrent(this.records, principal, now);
    } catch {
      return false;
    }
  }

  /** Throws `UNAUTHORIZED`, or `RATE_LIMITED` after too many failures. */
  async signIn(login: Login, client: Client): Promise<Session> {
    const proof = await prove(this, login, client);
    const { records, random, settings } = this;
    const made = addSignIn(records, random, this.clock(), settings.refreshMs, { ...proof, client });
    note(records, this.clock(), "sign-in", {
      user: proof.user,
      client: client.address,
      details: proof.method,
    });
    return await this.#session(made);
  }

  /** The next refresh token, and an access token. A refresh token that was used before ends the sign-in. */
  async refresh(secret: string, client: Client): Promise<Session> {
    const { records, random, settings } = this;
    try {
      const used = useRefreshToken(records, random, this.clock(), settings.refreshMs, { secret, client });
      return await this.#session(used);
    } catch (error) {
      if (error instanceof ReusedError) {
        const { user, signIn } = error;
        note(records, this.clock(), "refresh-reused", { user, client: client.address, details: signIn });
      }
      throw error;
    }
  }

  async #session({ id, refreshToken }: SignIn): Promise<Session> {
    const now = this.clock();
    const principal = principalOf(this.records, id, now, now + this.settings.accessMs);
    if (principal === undefined) throw unauthorized("This sign-in has ended. Sign in again");
    const { user, expiresAt } = principal;
    const token = { user, signIn: id, expiresAt };
    return {
      principal,
      refreshToken,
      accessToken: await signAccessToken(this.records, this.random, now, token),
    };
  }

  /** Ends a sign-in, with everything that is open. A token has to be revoked instead. */
  signOut({ user, tokenId }: Principal, client: Client): void {
    if (revokeSignIn(this.records, this.clock(), tokenId))
      note(this.records, this.clock(), "sign-out", { user, client: client.address });
  }

  /** The secret is returned only this once. */
  createToken(token: NewToken): { readonly info: TokenInfo; readonly secret: string } {
    return createToken(this, token);
  }

  /** Everything that was signed in with it ends too. */
  revokeToken(id: string, by: string): TokenInfo {
    return revokeToken(this, id, by);
  }

  /** Whether there was a sign-in to end. */
  revokeDevice(id: string, by: string): boolean {
    const isRevoked = revokeSignIn(this.records, this.clock(), id);
    if (isRevoked) note(this.records, this.clock(), "device-revoked", { user: by, details: id });
    return isRevoked;
  }

  /** Sign with a new key. Access tokens of the former one are accepted until they expire, or not at all. */
  rotateKeys({ now = false }: { readonly now?: boolean } = {}): void {
    rotateKeys(this, now ? 0 : this.settings.accessMs);
  }

  /** A ticket opens one WebSocket within 30 s, from the same origin. */
  issueTicket(
    principal: Principal,
    origin: string | null,
  ): { readonly ticket: string; readonly expiresAt: number } {
    return this.#tickets.issue(principal, origin);
  }

  takeTicket(ticket: string, origin: string | null): Principal {
    const principal = this.#tickets.take(ticket, origin);
    if (!this.#isCurrent(principal)) throw unauthorized("This sign-in has ended. Sign in again");
    return principal;
  }

  /** A link that signs the owner in once, within ten minutes. The code is in the fragment, which is never sent. */
  signInLink(url: string): string {
    return `${url.replace(/\/$/, "")}/#sign-in=${newLinkCode(this.records, this.random, this.clock(), OWNER)}`;
  }

  /** Who sent a request, as far as that can be known. */
  clientOf(request: Incoming): Client {
    return clientOf(request, this.#settings.proxies);
  }

  /** Who sends a request; `undefined` if it does not say. `UNAUTHORIZED` if what it says is not valid (any more). */
  async authenticate(request: Incoming): Promise<Principal | undefined> {
    const credential = credentialOf(this.clientOf(request), request.method);
    return credential === undefined ? undefined : await this.check(credential);
  }

  async close(): Promise<void> {
    clearInterval(this.#flushTimer);
    this.#ended.close();
    this.#flushUsed();
    this.records.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #flushUsed(): void {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    this.#used.clear();
    try {
      this.records.writeLazily(() => {
        for (const table of ["tokens", "sign_ins"]) {
          const sql = `UPDATE ${table} SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?`;
          for (const [id, at] of used) this.records.run(sql, at, id);
        }
      });
    } catch {
      // Only for display; the next request notes it again.
    }
  }
}
