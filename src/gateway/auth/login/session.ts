/** From a login, or a refresh token, to the tokens of a session. */
import { unauthorized } from "../../../errors.ts";
import { signAccessToken } from "../access-token.ts";
import type { Client } from "../client.ts";
import type { AuthParts } from "../parts.ts";
import type { Principal } from "../principal.ts";
import { principalOf } from "../records/grants.ts";
import type { NamedClient, SignIn } from "../records/sign-ins.ts";
import { type Login, prove } from "./login.ts";

/** A new or renewed sign-in. */
export interface Session {
  readonly principal: Principal;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export async function newSession(parts: AuthParts, login: Login, client: Client): Promise<Session> {
  const proof = await prove(parts, login, client);
  const { changes, settings } = parts;
  const signIn = { ...proof, client: named(client) };
  return await sessionOf(parts, await changes.make("addSignIn", settings.refreshMs, signIn));
}

export async function renewedSession(parts: AuthParts, secret: string, client: Client): Promise<Session> {
  const { changes, settings } = parts;
  const used = { secret, client: named(client) };
  return await sessionOf(parts, await changes.make("useRefreshToken", settings.refreshMs, used));
}

const named = ({ address, agent }: Client): NamedClient => ({ address, agent });

async function sessionOf(
  { records, random, clock, settings }: AuthParts,
  { id, refreshToken }: SignIn,
): Promise<Session> {
  const now = clock();
  const principal = principalOf(records, id, now, now + settings.accessMs);
  if (principal === undefined) throw unauthorized("This sign-in has ended. Sign in again");
  const { user, expiresAt } = principal;
  const accessToken = await signAccessToken(records, random, now, { user, signIn: id, expiresAt });
  return { principal, accessToken, refreshToken };
}
