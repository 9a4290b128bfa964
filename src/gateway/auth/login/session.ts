/** From a login, or a refresh token, to the tokens of a session. */
import { unauthorized } from "../../../errors.ts";
import { signAccessToken } from "../access-token.ts";
import type { Client } from "../client.ts";
import type { AuthParts } from "../parts.ts";
import type { Principal } from "../principal.ts";
import { note } from "../records/audit.ts";
import { principalOf } from "../records/grants.ts";
import { addSignIn, ReusedError, type SignIn, useRefreshToken } from "../records/sign-ins.ts";
import { type Login, prove } from "./login.ts";

/** A new or renewed sign-in. */
export interface Session {
  readonly principal: Principal;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export async function newSession(parts: AuthParts, login: Login, client: Client): Promise<Session> {
  const proof = await prove(parts, login, client);
  const { records, random, clock, settings } = parts;
  const made = addSignIn(records, random, clock(), settings.refreshMs, { ...proof, client });
  note(records, clock(), "sign-in", { user: proof.user, client: client.address, details: proof.method });
  return await sessionOf(parts, made);
}

export async function renewedSession(parts: AuthParts, secret: string, client: Client): Promise<Session> {
  const { records, random, clock, settings } = parts;
  try {
    const used = useRefreshToken(records, random, clock(), settings.refreshMs, { secret, client });
    return await sessionOf(parts, used);
  } catch (error) {
    if (error instanceof ReusedError) {
      const { user, signIn } = error;
      note(records, clock(), "refresh-reused", { user, client: client.address, details: signIn });
    }
    throw error;
  }
}

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
