/** What a token or sign-in allows now, from the records. */
import { parseJson } from "../../../util/json.ts";
import type { Permission, Scope } from "../../wire/auth.ts";
import { lesser, type Principal } from "../principal.ts";
import type { Records, Row } from "./records.ts";

/** `undefined` if it is not known, revoked, expired, or its user is gone. */
export function principalOf(
  records: Records,
  id: string,
  nowMs: number,
  until: number = Number.POSITIVE_INFINITY,
): Principal | undefined {
  const row = records.get("SELECT * FROM grants WHERE id = ?", id);
  if (row === undefined) return undefined;
  const expiresAt = Math.min(
    until,
    row.expires_at === null ? Number.POSITIVE_INFINITY : Number(row.expires_at),
  );
  if (expiresAt <= nowMs) return undefined;
  return {
    user: String(row.user),
    permission: lesser(row.permission as Permission, row.user_permission as Permission),
    scope: scopeIn(row),
    tokenId: id,
    source: String(row.source),
    expiresAt,
  };
}

export function scopeIn({ scope }: Row): Scope | null {
  return typeof scope === "string" ? (parseJson(scope) as Scope) : null;
}

/** Whether a principal is still what it was: a narrowed permission ends it too. */
export function isCurrent(records: Records, principal: Principal, nowMs: number): boolean {
  const now = principalOf(records, principal.tokenId, nowMs, principal.expiresAt);
  return (
    now?.permission === principal.permission && JSON.stringify(now.scope) === JSON.stringify(principal.scope)
  );
}
