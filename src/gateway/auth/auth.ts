/** Who may use a gateway. The only door to its records: HTTP, WebSocket and the command all ask here. */
import { type ColloquyError, unauthorized } from "../../errors.ts";
import type { JsonObject } from "../../util/json.ts";
import { type Clock, checkedClock, systemClock } from "../../util/time.ts";
import { type Random, systemRandom } from "../../util/uuid.ts";
import type { Incoming } from "../http/incoming.ts";
import type { TokenInfo } from "../wire/auth.ts";
import { isAccessToken } from "./access-token.ts";
import { changesHere, type RecordChanges } from "./changes/changes.ts";
import { ChangesElsewhere } from "./changes/changes-elsewhere.ts";
import { assertProxy, type Client, clientOf } from "./client.ts";
import { credentialOf } from "./credential-of.ts";
import { Credentials } from "./credentials.ts";
import { Ended } from "./ended.ts";
import { LastUsed } from "./last-used.ts";
import { keptConfig } from "./login/keep-config.ts";
import type { Login } from "./login/login.ts";
import { newSession, renewedSession, type Session } from "./login/session.ts";
import type { AuthParts } from "./parts.ts";
import type { Principal } from "./principal.ts";
import { newSignInLink } from "./records/links.ts";
import { Records } from "./records/records.ts";
import { currentKey, rotateKeys } from "./records/signing-keys.ts";
import type { NewToken } from "./records/tokens.ts";
import { type AuthSettings, authSettings } from "./settings.ts";
import { placesOfStrangers, placesOfTokens } from "./shares.ts";
import { Tickets } from "./tickets.ts";

export interface AuthOptions {
  readonly stateDir: string;
  /** `gateway` of the config. */
  readonly config: JsonObject;
  /** Change the records in another thread, so that this one never waits for the disk. */
  readonly thread?: boolean;
  /** What fails outside of a request. Default: a process warning. */
  readonly onProblem?: (problem: ColloquyError) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

const WRONG_TOKENS_MAX = 100;

export class Auth implements AuthParts, AsyncDisposable {
  readonly records: Records;
  readonly changes: RecordChanges;
  readonly clock: Clock;
  readonly random: Random;
  #settings: AuthSettings;
  readonly #tickets: Tickets;
  readonly #ended: Ended;
  readonly #credentials: Credentials;
  readonly #lastUsed: LastUsed;
  #configuring: Promise<void> = Promise.resolve();
  /** How many wait to be noted. */
  #wrongTokens = 0;
  readonly #strangers = placesOfStrangers();
  readonly #connections = placesOfTokens();

  private constructor(
    records: Records,
    settings: AuthSettings,
    clock: Clock,
    random: Random,
    changes: RecordChanges,
  ) {
    this.records = records;
    this.changes = changes;
    this.#settings = settings;
    this.clock = clock;
    this.random = random;
    this.#tickets = new Tickets(clock, random);
    this.#credentials = new Credentials(records, clock);
    this.#ended = new Ended(records, clock, (principal) => this.#credentials.isCurrent(principal));
    this.#lastUsed = new LastUsed(this.changes);
  }

  /** Refuses unsafe settings before anything is written. */
  static async open({
    stateDir,
    config,
    thread = false,
    onProblem = ({ message }) => process.emitWarning(message),
    clock = systemClock,
    random = systemRandom,
  }: AuthOptions): Promise<Auth> {
    const settings = authSettings(config);
    const records = await Records.open(stateDir);
    const checked = checkedClock(clock);
    let changes = changesHere({ records, random, clock: checked });
    try {
      // With an old SQLite this connection has the file for itself.
      if (thread && !records.isExclusive())
        changes = await ChangesElsewhere.open({ stateDir, clock: checked, onProblem });
      currentKey(records, random, checked());
      await changes.make("keepConfig", await keptConfig(records, random, settings));
      return new Auth(records, settings, checked, random, changes);
    } catch (error) {
      await changes.close();
      records.close();
      throw error;
    }
  }

  get settings(): AuthSettings {
    return this.#settings;
  }

  /** The config changed. Logins of a former password, token or user end. Refused settings change nothing. */
  async configure(config: JsonObject): Promise<void> {
    const settings = authSettings(config);
    // One after the other: a hash takes its time, and the last settings must stay.
    const configured = this.#configuring.then(async () => {
      await this.changes.make("keepConfig", await keptConfig(this.records, this.random, settings));
      this.#settings = settings;
    });
    this.#configuring = configured.catch(() => {});
    await configured;
  }

  /** The principal of an access token or access secret. Throws `UNAUTHORIZED`. */
  async check(credential: string, client?: Client): Promise<Principal> {
    const principal = await this.#credentials.check(credential).catch((error: unknown) => {
      if (client !== undefined && !isAccessToken(credential)) this.#noteWrongToken(client);
      throw error;
    });
    this.#lastUsed.note(principal.tokenId, this.clock());
    return principal;
  }

  /** Nobody waits for it, and the answer is the same if it cannot be noted. */
  #noteWrongToken({ address }: Client): void {
    // A stranger who sends many while the disk stands still must not delay a revocation.
    if (this.#wrongTokens >= WRONG_TOKENS_MAX) return;
    this.#wrongTokens++;
    this.changes
      .make("noteWrongToken", address)
      .catch(() => {})
      .finally(() => {
        this.#wrongTokens--;
      });
  }

  /** Call `listener` once, within a second, when the principal is revoked, narrowed or expired. */
  onEnded(principal: Principal, listener: () => void): () => void {
    return this.#ended.add(principal, listener);
  }

  /**
   * A place for a connection that stays open. Throws `RATE_LIMITED` if there is none, or if the token has its share.
   * The result gives the place back.
   */
  enter({ source }: Principal): () => void {
    return this.#connections.enter(source);
  }

  /** The same for a client that has not signed in yet. */
  enterAsStranger({ address }: Client): () => void {
    return this.#strangers.enter(address);
  }

  /** Throws `UNAUTHORIZED`, or `RATE_LIMITED` after too many failures. */
  async signIn(login: Login, client: Client): Promise<Session> {
    return newSession(this, login, client);
  }

  /** The next refresh token, and an access token. A refresh token that was used before ends the sign-in. */
  async refresh(secret: string, client: Client): Promise<Session> {
    return renewedSession(this, secret, client);
  }

  /** Ends a sign-in, with everything that is open. A token has to be revoked instead. */
  async signOut({ user, tokenId }: Principal, { address }: Client): Promise<void> {
    await this.changes.make("endSignIn", tokenId, "sign-out", { user, client: address });
  }

  /** The secret is returned only this once. */
  async createToken(token: NewToken): Promise<{ readonly info: TokenInfo; readonly secret: string }> {
    return this.changes.make("createToken", token);
  }

  /** Everything that was signed in with it ends too. */
  async revokeToken(id: string, by: string): Promise<TokenInfo> {
    return this.changes.make("revokeToken", id, by);
  }

  /** Whether there was a sign-in to end. */
  async revokeDevice(id: string, by: string): Promise<boolean> {
    return this.changes.make("endSignIn", id, "device-revoked", { user: by, details: id });
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
    if (!this.#credentials.isCurrent(principal)) throw unauthorized("This sign-in has ended. Sign in again");
    return principal;
  }

  /** A link that signs the owner in once, within ten minutes. The code is in the fragment, which is never sent. */
  signInLink(url: string): string {
    return newSignInLink(this, url);
  }

  /** Who sent a request, as far as that can be known. */
  clientOf(request: Incoming): Client {
    return clientOf(request, this.#settings.proxies);
  }

  /** Throws `FORBIDDEN` for a machine that may not connect, because what it sends was not encrypted. */
  assertPeer(request: Pick<Incoming, "remoteAddress">): void {
    if (this.#settings.isProxied) assertProxy(request, this.#settings.proxies);
  }

  /** Who sends a request; `undefined` if it does not say. `UNAUTHORIZED` if what it says is not valid (any more). */
  async authenticate(request: Incoming): Promise<Principal | undefined> {
    const client = this.clientOf(request);
    const credential = credentialOf(client, request.method);
    return credential === undefined ? undefined : await this.check(credential, client);
  }

  async close(): Promise<void> {
    this.#ended.close();
    await this.#lastUsed.close();
    await this.changes.close();
    this.records.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
