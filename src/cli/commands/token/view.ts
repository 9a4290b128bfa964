import type { Scope, TokenInfo } from "../../../gateway/wire/auth.ts";
import { safeLine } from "../../../util/visible-text.ts";
import type { Output } from "../../output.ts";
import { table } from "../../terminal/table.ts";
import { timeAgo } from "../../terminal/time-ago.ts";

export function scopeText(scope: Scope | null): string {
  if (scope === null) return "all conversations";
  return Object.entries(scope)
    .map(([what, names]) => `${what} ${names.join(", ")}`)
    .join("; ");
}

export function tokenTable(out: Output, tokens: readonly TokenInfo[], nowMs: number): string[] {
  const columns = [
    { title: "ID", rank: 0, min: 36 },
    { title: "NAME", rank: 1, min: 8 },
    { title: "PERMISSION", rank: 2 },
    { title: "SCOPE", rank: 4, min: 12 },
    { title: "LAST USED", rank: 5 },
    { title: "STATE", rank: 3 },
  ];
  const rows = tokens.map((token) =>
    [
      token.id,
      token.name,
      token.permission,
      scopeText(token.scope),
      timeAgo(token.lastUsedAt, nowMs),
      stateText(token, nowMs),
    ].map(safeLine),
  );
  return table(out, columns, rows);
}

function stateText({ revokedAt, expiresAt }: TokenInfo, nowMs: number): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt === null) return "valid";
  return Date.parse(expiresAt) <= nowMs ? "expired" : `valid until ${expiresAt.slice(0, 10)}`;
}
