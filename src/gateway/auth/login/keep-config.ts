/** Brings users, the token and the password of the config into the records, and ends what the config no longer allows. */
import type { Random } from "../../../util/uuid.ts";
import { OWNER } from "../principal.ts";
import { note } from "../records/audit.ts";
import type { Keeper, Records } from "../records/records.ts";
import { hashOf } from "../records/secret-text.ts";
import type { AuthSettings } from "../settings.ts";
import { keepPassword, passwordValue } from "./password.ts";

/** The id of `gateway.auth.token` in the list of tokens. */
const CONFIG_TOKEN = "config";

/** What the records keep of a config, as plain data. */
export interface KeptConfig {
  readonly password: string | null;
  readonly tokenHash: string | null;
  /** Tailscale logins and what they may do. */
  readonly logins: readonly (readonly [login: string, permission: string])[];
}

/** A hash takes its time, so it is made before the records are changed. */
export async function keptConfig(
  records: Records,
  random: Random,
  { mode, password, token, users, isTailscale }: AuthSettings,
): Promise<KeptConfig> {
  const isUsed = mode === "password" && password !== undefined;
  return {
    password: isUsed ? await passwordValue(records, random, password) : null,
    tokenHash: token === undefined ? null : hashOf(token),
    logins: isTailscale ? [...users] : [],
  };
}

export function keepConfig({ records, clock }: Keeper, { password, tokenHash, logins }: KeptConfig): void {
  const nowMs = clock();
  records.write(() => {
    const isChanged = keepPassword(records, password);
    addOwner(records, nowMs);
    keepLogins(records, nowMs, new Map(logins));
    keepConfigToken(records, nowMs, tokenHash);
    if (isChanged) {
      endSignIns(records, nowMs, "method = 'password'");
      note(records, nowMs, "password-changed", { user: OWNER });
    }
  });
}

function addOwner(records: Records, nowMs: number): void {
  addUser(records, nowMs, OWNER, "admin");
}

function addUser(records: Records, nowMs: number, sub: string, permission: string): void {
  records.run(
    `INSERT INTO users (sub, permission, created_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (sub) DO UPDATE SET permission = ?2 WHERE permission <> ?2`,
    sub,
    permission,
    nowMs,
  );
}

/** Only the config says who they are: a user who is gone from it is gone. */
function keepLogins(records: Records, nowMs: number, wanted: ReadonlyMap<string, string>): void {
  for (const { sub } of records.all("SELECT sub FROM users WHERE sub <> ?", OWNER)) {
    if (wanted.has(String(sub))) continue;
    records.run("DELETE FROM users WHERE sub = ?", String(sub));
    // Else they would be signed in again when the login is added again.
    for (const table of ["sign_ins", "tokens"]) {
      const sql = `UPDATE ${table} SET revoked_at = ? WHERE user = ? AND revoked_at IS NULL`;
      records.run(sql, nowMs, String(sub));
    }
  }
  for (const [login, permission] of wanted) addUser(records, nowMs, login, permission);
}

function keepConfigToken(records: Records, nowMs: number, hash: string | null): void {
  const known = records.get("SELECT hash FROM tokens WHERE id = ?", CONFIG_TOKEN)?.hash ?? null;
  if (known === hash) return;
  endSignIns(records, nowMs, `token = '${CONFIG_TOKEN}'`);
  // The sign-ins of the former token have ended, and no longer need its row.
  records.run("UPDATE sign_ins SET token = NULL WHERE token = ?", CONFIG_TOKEN);
  records.run("DELETE FROM tokens WHERE id = ?", CONFIG_TOKEN);
  if (hash === null) return;
  records.run(
    "INSERT INTO tokens (id, name, user, permission, hash, created_at) VALUES (?, ?, ?, 'admin', ?, ?)",
    CONFIG_TOKEN,
    "gateway.auth.token",
    OWNER,
    hash,
    nowMs,
  );
}

function endSignIns(records: Records, nowMs: number, where: string): void {
  records.run(`UPDATE sign_ins SET revoked_at = ? WHERE revoked_at IS NULL AND ${where}`, nowMs);
}
