/**
 * Browsers that have signed in before. The cookie opens nothing; it only gives the browser its own count of failed
 * logins, so that strangers who guess passwords cannot lock its owner out.
 */
import type { Keeper, Records } from "./records.ts";
import { CREDENTIAL_CHARS_MAX, hashOf, newSecret } from "./secret-text.ts";

const YEAR_MS = 365 * 86_400_000;
export const DEVICE_MS: number = YEAR_MS;
const DEVICES_MAX = 1000;

export function addKnownDevice({ records, random, clock }: Keeper, user: string): string {
  const nowMs = clock();
  const secret = newSecret("cqd_", random);
  records.write(() => {
    records.run("DELETE FROM devices WHERE expires_at <= ?", nowMs);
    const surplus = "SELECT hash FROM devices ORDER BY expires_at DESC LIMIT -1 OFFSET ?";
    records.run(`DELETE FROM devices WHERE hash IN (${surplus})`, DEVICES_MAX - 1);
    const sql = "INSERT INTO devices (hash, user, expires_at) VALUES (?, ?, ?)";
    records.run(sql, hashOf(secret), user, nowMs + YEAR_MS);
  });
  return secret;
}

export function isKnownDevice(records: Records, nowMs: number, secret: string): boolean {
  if (secret.length > CREDENTIAL_CHARS_MAX) return false;
  const row = records.get("SELECT 1 FROM devices WHERE hash = ? AND expires_at > ?", hashOf(secret), nowMs);
  return row !== undefined;
}
