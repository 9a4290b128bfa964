/** Signing in: with a password, an access secret, the code of a link, or as a Tailscale user. */
import { invalid, unauthorized } from "../../../errors.ts";
import type { Client } from "../client.ts";
import type { AuthParts } from "../parts.ts";
import { OWNER } from "../principal.ts";
import { principalOf } from "../records/grants.ts";
import { isKnownDevice } from "../records/known-device.ts";
import { CREDENTIAL_CHARS_MAX, hashOf } from "../records/secret-text.ts";
import type { NewSignIn } from "../records/sign-ins.ts";
import { tokenOfSecret } from "../records/tokens.ts";
import type { Bucket } from "./limiter.ts";
import { rightPassword } from "./password.ts";
import { tailscaleLogin } from "./tailscale.ts";

/** Exactly one of the first four. */
export interface Login {
  readonly password?: string;
  /** An access secret of `colloquy token create`. */
  readonly token?: string;
  /** Of a sign-in link. */
  readonly code?: string;
  readonly tailscale?: boolean;
  /** The secret of a device that has signed in before. */
  readonly device?: string | undefined;
}

type Proof = Omit<NewSignIn, "client">;

/** Who it is. Throws `UNAUTHORIZED`, or `RATE_LIMITED` after too many failures. */
export async function prove(parts: AuthParts, login: Login, client: Client): Promise<Proof> {
  const { password, token, code, tailscale } = login;
  const given = [password, token, code, tailscale === true ? "" : undefined].filter(
    (way) => way !== undefined,
  );
  if (given.length !== 1)
    throw invalid("Sign in with exactly one of password, token, code and tailscale", "password");
  if (password !== undefined) return provePassword(parts, password, login.device, client);
  const proof =
    token !== undefined
      ? proveToken(parts, token)
      : code !== undefined
        ? await proveCode(parts, code)
        : await proveTailscale(parts, client);
  if (proof !== undefined) return proof;
  // These cannot be guessed, so a right one is never refused because of the wrong ones of others.
  await parts.changes.make("beginAttempt", bucketOf(client));
  throw await failed(
    parts,
    client,
    token !== undefined ? "token" : code !== undefined ? "link" : "tailscale",
  );
}

/** The limits are asked before the password is hashed, which is what makes an attempt expensive. */
async function provePassword(
  parts: AuthParts,
  password: string,
  device: string | undefined,
  client: Client,
): Promise<Proof> {
  const { records, changes, clock, settings } = parts;
  if (settings.mode !== "password") throw unauthorized("This gateway has no password. Sign in with a token");
  if (password.length > CREDENTIAL_CHARS_MAX) throw invalid("password is too long", "password");
  const isKnown = device !== undefined && isKnownDevice(records, clock(), device);
  const bucket = isKnown ? { name: `device:${hashOf(device)}`, isKnown } : bucketOf(client);
  const attempt = await changes.make("beginAttempt", bucket);
  const shown = await rightPassword(records, password);
  if (shown === undefined) throw await failed(parts, client, "password");
  await changes.make("attemptSucceeded", attempt);
  return { user: OWNER, method: "password", token: null, shown };
}

function proveToken({ records, clock }: AuthParts, secret: string): Proof | undefined {
  const id = secret.length > CREDENTIAL_CHARS_MAX ? undefined : tokenOfSecret(records, secret);
  const principal = id === undefined ? undefined : principalOf(records, id, clock());
  if (principal === undefined) return undefined;
  const { user, tokenId } = principal;
  return { user, method: "token", token: tokenId, shown: hashOf(secret) };
}

async function proveCode({ changes }: AuthParts, code: string): Promise<Proof | undefined> {
  const user = await changes.make("takeLinkCode", code);
  return user === undefined ? undefined : { user, method: "link", token: null, shown: null };
}

async function proveTailscale({ settings }: AuthParts, client: Client): Promise<Proof | undefined> {
  if (!settings.isTailscale) throw unauthorized("This gateway does not accept Tailscale users");
  const user = await tailscaleLogin(client, settings);
  return user === undefined ? undefined : { user, method: "tailscale", token: null, shown: null };
}

const bucketOf = ({ address }: Client): Bucket => ({ name: `client:${address}`, isKnown: false });

const USED_LINK =
  "This link was used already, or it has expired. Get a new one on the machine of the gateway: colloquy gateway link";

/** The same words for each reason: an attacker learns nothing. */
async function failed({ changes }: AuthParts, { address }: Client, method: string): Promise<Error> {
  await changes.make("note", "sign-in-failed", { client: address, details: method });
  return unauthorized(method === "link" ? USED_LINK : "The login was refused");
}
