/**
 * Access tokens: JWTs that name a sign-in and end after a day.
 *
 * One algorithm, fixed here and never read from a token. A token says who it is for; what they may do is in the records.
 */
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { unauthorized } from "../../errors.ts";
import type { Random } from "../../util/uuid.ts";
import { uuidv7 } from "../../util/uuid.ts";
import type { Records } from "./records/records.ts";
import { currentKey, verifyingKey } from "./records/signing-keys.ts";

const ALGORITHM = "HS256";
const TYPE = "at+jwt";
const ISSUER = "colloquy";
const AUDIENCE = "colloquy-gateway";

/** What a valid token says. */
export interface AccessClaims {
  readonly user: string;
  readonly signIn: string;
  readonly key: string;
  readonly expiresAt: number;
}

export interface NewAccessToken {
  readonly user: string;
  readonly signIn: string;
  readonly expiresAt: number;
}

const SECOND_MS = 1000;

export async function signAccessToken(
  records: Records,
  random: Random,
  nowMs: number,
  { user, signIn, expiresAt }: NewAccessToken,
): Promise<string> {
  const key = currentKey(records, random, nowMs);
  return await new SignJWT({ sid: signIn })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: key.id })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject(user)
    .setJti(uuidv7(nowMs, random))
    .setIssuedAt(Math.floor(nowMs / SECOND_MS))
    .setExpirationTime(Math.floor(expiresAt / SECOND_MS))
    .sign(key.secret);
}

/** Whether it can be one, by its first letters: `{"` in Base64. */
export function isAccessToken(credential: string): boolean {
  return credential.startsWith("eyJ");
}

/** Throws `UNAUTHORIZED`, with the same words for every token that this gateway did not sign. */
export async function verifyAccessToken(
  records: Records,
  nowMs: number,
  token: string,
): Promise<AccessClaims> {
  const key = keyOf(records, nowMs, token);
  if (key === undefined) throw refused();
  const { payload } = await jwtVerify(token, key.secret, {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: ISSUER,
    audience: AUDIENCE,
    requiredClaims: ["sub", "exp", "iat", "jti", "sid"],
    currentDate: new Date(nowMs),
  }).catch((error: unknown) => {
    throw isExpired(error)
      ? unauthorized("The access token has expired. Renew it or sign in again")
      : refused();
  });
  const { sub = "", sid, exp = 0, iat = 0 } = payload;
  // jose checks `iat` only together with a maximal age. A token from the future was signed by a wrong clock, or forged.
  if (typeof sid !== "string" || iat * SECOND_MS > nowMs + SECOND_MS) throw refused();
  return { user: sub, signIn: sid, key: key.id, expiresAt: exp * SECOND_MS };
}

function keyOf(records: Records, nowMs: number, token: string): ReturnType<typeof verifyingKey> {
  try {
    const { kid, alg } = decodeProtectedHeader(token);
    return typeof kid === "string" && alg === ALGORITHM ? verifyingKey(records, kid, nowMs) : undefined;
  } catch {
    return undefined;
  }
}

const refused = () => unauthorized("The access token is not valid. Sign in again");

function isExpired(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_JWT_EXPIRED";
}
