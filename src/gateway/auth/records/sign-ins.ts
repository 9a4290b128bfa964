/**
 * Sign-ins: a browser or program that can renew its access for 30 days.
 *
 * Each refresh token is used once and followed by the next one. One that is used again was stolen, either before or
 * after its first use, so the sign-in ends. Only a client that did not get the answer may ask again, for ten seconds.
 */
import { unauthorized } from "../../../errors.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import { isoTime } from "../../../util/time.ts";
import { type Random, uuidv7 } from "../../../util/uuid.ts";
import type { DeviceInfo } from "../../wire/auth.ts";
import type { Client } from "../client.ts";
import { type AuditNote, note } from "./audit.ts";
import type { Keeper, Records, Row } from "./records.ts";
import { CREDENTIAL_CHARS_MAX, hashOf, newSecret, nextSecret } from "./secret-text.ts";

export interface NewSignIn {
  readonly user: string;
  readonly method: "password" | "token" | "link" | "tailscale";
  /** The token that it was made with, and ends with. */
  readonly token: string | null;
  /** What was shown, as the records have it: the hash of the token, or the value of the password. */
  readonly shown: string | null;
  readonly client: NamedClient;
}

/** What is noted of a client. */
export type NamedClient = Pick<Client, "address" | "agent">;

export interface SignIn {
  readonly id: string;
  readonly user: string;
  readonly refreshToken: string;
}

const RETRY_MS = 10_000;
/** A write that takes this long uses up a part of it that matters. */
const SLOW_MS = 1000;
/** Used refresh tokens that are remembered for each sign-in, to notice a stolen one. */
const USED_MAX = 200;
/** A year of daily sign-ins, of a user or with a token; the ones used longest ago are forgotten. */
const KEPT_MAX = 365;

/** Throws `UNAUTHORIZED` if what was shown is no longer valid. */
export function addSignIn({ records, random, clock }: Keeper, lifeMs: number, signIn: NewSignIn): SignIn {
  const { user, method, token, client } = signIn;
  const nowMs = clock();
  const id = uuidv7(nowMs, random);
  const refreshToken = newSecret("cqr_", random);
  records.write(() => {
    if (!isStillProved(records, signIn)) throw unauthorized("The login was refused");
    prune(records, nowMs, user, token);
    records.run(
      `INSERT INTO sign_ins (id, user, token, method, agent, created_at, last_used_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      user,
      token,
      method,
      client.agent,
      nowMs,
      nowMs,
      nowMs + lifeMs,
    );
    addRefreshToken(records, nowMs, id, refreshToken);
    note(records, nowMs, "sign-in", { user, client: client.address, details: method });
  });
  return { id, user, refreshToken };
}

/** The config may have changed since: what has ended the other sign-ins must not be missed by this one. */
function isStillProved(records: Records, { user, method, token, shown }: NewSignIn): boolean {
  const has = (sql: string, ...values: readonly (string | null)[]): boolean =>
    records.get(sql, ...values) !== undefined;
  if (!has("SELECT 1 FROM users WHERE sub = ?", user)) return false;
  if (method === "token") return has("SELECT 1 FROM tokens WHERE id = ? AND hash = ?", token, shown);
  if (method === "password")
    return has("SELECT 1 FROM settings WHERE name = 'password' AND value = ?", shown);
  return true;
}

/** Those with a token are counted apart: a program must not push the browsers of its user out. */
function prune(records: Records, nowMs: number, user: string, token: string | null): void {
  records.run("DELETE FROM sign_ins WHERE expires_at <= ?", nowMs);
  records.run(
    `DELETE FROM sign_ins WHERE id IN
       (SELECT id FROM sign_ins WHERE user = ? AND token IS ? ORDER BY last_used_at DESC LIMIT -1 OFFSET ?)`,
    user,
    token,
    KEPT_MAX - 1,
  );
}

function addRefreshToken(records: Records, nowMs: number, signIn: string, secret: string): void {
  // A retry derives the same one again.
  records.run(
    "INSERT INTO refresh_tokens (hash, sign_in, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    hashOf(secret),
    signIn,
    nowMs,
  );
  records.run(
    `DELETE FROM refresh_tokens WHERE hash IN
       (SELECT hash FROM refresh_tokens WHERE sign_in = ? AND used_at IS NOT NULL
        ORDER BY used_at DESC LIMIT -1 OFFSET ?)`,
    signIn,
    USED_MAX,
  );
}

/** The sign-in and its next refresh token. Throws `UNAUTHORIZED`; reuse also revokes the sign-in. */
export function useRefreshToken(
  { records, random, clock }: Keeper,
  lifeMs: number,
  { secret, client }: { readonly secret: string; readonly client: NamedClient },
): SignIn {
  if (secret.length > CREDENTIAL_CHARS_MAX) throw refused();
  let nowMs = 0;
  const outcome = records.write(() => {
    nowMs = clock();
    const row = records.get(
      `SELECT r.used_at, r.used_by, s.id, s.user FROM refresh_tokens AS r JOIN sign_ins AS s ON s.id = r.sign_in
       WHERE r.hash = ? AND s.revoked_at IS NULL AND s.expires_at > ?`,
      hashOf(secret),
      nowMs,
    );
    if (row === undefined) return undefined;
    const [id, user] = [String(row.id), String(row.user)];
    const usedBy = sha256Hex(`${client.address}\n${client.agent ?? ""}`);
    if (row.used_at !== null && !isRetry(row, usedBy, nowMs)) {
      revokeSignIn(records, nowMs, id);
      note(records, nowMs, "refresh-reused", { user, client: client.address, details: id });
      return "reused";
    }
    const next = nextSecret("cqr_", refreshKey(records, random), secret);
    const used = "UPDATE refresh_tokens SET used_at = ?, used_by = ? WHERE hash = ? AND used_at IS NULL";
    records.run(used, nowMs, usedBy, hashOf(secret));
    addRefreshToken(records, nowMs, id, next);
    const sql = "UPDATE sign_ins SET last_used_at = ?, expires_at = ?, agent = ? WHERE id = ?";
    records.run(sql, nowMs, nowMs + lifeMs, client.agent, id);
    return { id, user, refreshToken: next };
  });
  if (outcome === undefined) throw refused();
  // Thrown here, because an error inside would undo the revocation.
  if (outcome === "reused") throw reused();
  if (clock() - nowMs >= SLOW_MS) usedLater(records, hashOf(secret), clock());
  return outcome;
}

/** The disk was slow. The time to ask again begins with the answer. */
function usedLater(records: Records, hash: string, nowMs: number): void {
  try {
    records.writeLazily(() =>
      records.run("UPDATE refresh_tokens SET used_at = ? WHERE hash = ?", nowMs, hash),
    );
  } catch {
    // The token was renewed, and the client must get the next one.
  }
}

const reused = () =>
  unauthorized("The refresh token was used before, so this sign-in has ended. Sign in again");

function isRetry(row: Row, usedBy: string, nowMs: number): boolean {
  return row.used_by === usedBy && nowMs - Number(row.used_at) <= RETRY_MS;
}

const refused = () => unauthorized("The refresh token is not valid. Sign in again");

function refreshKey(records: Records, random: Random): Buffer {
  const known = records.get("SELECT value FROM settings WHERE name = 'refresh-key'")?.value;
  if (typeof known === "string") return Buffer.from(known, "base64url");
  const key = Buffer.alloc(32);
  random(key);
  records.run("INSERT INTO settings (name, value) VALUES ('refresh-key', ?)", key.toString("base64url"));
  return key;
}

/** Ends a sign-in, and notes why. Whether there was one to end. */
export function endSignIn(
  { records, clock }: Keeper,
  id: string,
  event: "sign-out" | "device-revoked",
  about: AuditNote,
): boolean {
  return records.write(() => {
    const isRevoked = revokeSignIn(records, clock(), id);
    if (isRevoked) note(records, clock(), event, about);
    return isRevoked;
  });
}

function revokeSignIn(records: Records, nowMs: number, id: string): boolean {
  return records.run("UPDATE sign_ins SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", nowMs, id) > 0;
}

export function listDevices(records: Records, nowMs: number, current: string): DeviceInfo[] {
  const sql = `SELECT s.* FROM sign_ins AS s JOIN grants AS g ON g.id = s.id
    WHERE s.expires_at > ? ORDER BY s.last_used_at DESC, s.id`;
  return records.all(sql, nowMs).map((row) => ({
    id: String(row.id),
    user: String(row.user),
    method: String(row.method),
    agent: row.agent === null ? null : String(row.agent),
    createdAt: isoTime(Number(row.created_at)),
    lastUsedAt: isoTime(Number(row.last_used_at)),
    expiresAt: isoTime(Number(row.expires_at)),
    current: row.id === current,
  }));
}
