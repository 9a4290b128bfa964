/**
 * What happened to access, for the owner to read: the last ones of each kind, so that strangers
 * who fail to log in do not push out what the owner did. Never a secret.
 */
import { isoTime } from "../../../util/time.ts";
import type { Records } from "./records.ts";

export type AuditEvent =
  | "sign-in"
  | "sign-in-failed"
  | "sign-out"
  | "refresh-reused"
  | "token-created"
  | "token-revoked"
  | "device-revoked"
  | "password-changed"
  | "keys-rotated";

export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly event: string;
  readonly user: string | null;
  readonly client: string | null;
  readonly details: string | null;
}

const ENTRIES_EACH_MAX = 2000;
const DETAILS_CHARS_MAX = 200;

export interface AuditNote {
  readonly user?: string;
  readonly client?: string;
  readonly details?: string;
}

export function note(records: Records, nowMs: number, event: AuditEvent, about: AuditNote = {}): void {
  const { user = null, client = null, details = "" } = about;
  // A stranger who guesses passwords must not make others wait for the disk.
  records.writeLazily(() => {
    records.run(
      "INSERT INTO audit (at, event, user, client, details) VALUES (?, ?, ?, ?, ?)",
      nowMs,
      event,
      user,
      client,
      details === "" ? null : details.slice(0, DETAILS_CHARS_MAX),
    );
    const surplus = "SELECT id FROM audit WHERE event = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2";
    records.run(`DELETE FROM audit WHERE event = ?1 AND id <= (${surplus})`, event, ENTRIES_EACH_MAX);
  });
}

/** The newest first. */
export function auditEntries(records: Records, limit: number): AuditEntry[] {
  return records.all("SELECT * FROM audit ORDER BY id DESC LIMIT ?", limit).map((row) => ({
    id: Number(row.id),
    at: isoTime(Number(row.at)),
    event: String(row.event),
    user: row.user === null ? null : String(row.user),
    client: row.client === null ? null : String(row.client),
    details: row.details === null ? null : String(row.details),
  }));
}
