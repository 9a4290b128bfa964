/** Access secrets of programs: made by the owner, shown once, revoked by id. */
import { ColloquyError, invalid } from "../../../errors.ts";
import { isoTime } from "../../../util/time.ts";
import { isUuid, uuidv7 } from "../../../util/uuid.ts";
import type { Permission, Scope, TokenInfo } from "../../wire/auth.ts";
import { PERMISSIONS } from "../principal.ts";
import { note } from "./audit.ts";
import { scopeIn } from "./grants.ts";
import type { Keeper, Records, Row } from "./records.ts";
import { hashOf, newSecret } from "./secret-text.ts";

export interface NewToken {
  readonly name: string;
  readonly user: string;
  readonly permission: Permission;
  readonly scope: Scope | null;
  /** Milliseconds since 1970; `null` for no end. */
  readonly expiresAt: number | null;
}

const NAME_CHARS_MAX = 200;
const LIST_MAX = 100;
const ITEM_CHARS_MAX = 512;

/** The secret is returned only this once. */
export function createToken(
  { records, random, clock }: Keeper,
  token: NewToken,
): { readonly info: TokenInfo; readonly secret: string } {
  const { name, user, permission, expiresAt } = token;
  const nowMs = clock();
  if (name.length > NAME_CHARS_MAX)
    throw invalid(`name must have at most ${NAME_CHARS_MAX} characters`, "name");
  if (!PERMISSIONS.includes(permission))
    throw invalid(`permission must be one of ${PERMISSIONS.join(", ")}`, "permission");
  if (expiresAt !== null && expiresAt <= nowMs) throw invalid("expiresAt must be in the future", "expiresAt");
  const scope = checkedScope(token.scope);
  const id = uuidv7(nowMs, random);
  const secret = newSecret("cqt_", random);
  records.write(() => {
    records.run(
      `INSERT INTO tokens (id, name, user, permission, scope, hash, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      name,
      user,
      permission,
      scope === null ? null : JSON.stringify(scope),
      hashOf(secret),
      nowMs,
      expiresAt,
    );
    note(records, nowMs, "token-created", { user, details: id });
  });
  return { info: tokenById(records, id), secret };
}

/** An empty list would match nothing, and no list at all everything: neither is what its author meant. */
function checkedScope(scope: Scope | null): Scope | null {
  if (scope === null) return null;
  const lists = Object.entries(scope).filter(([, list]) => list !== undefined);
  for (const [field, list] of lists) {
    if (list.length === 0 || list.length > LIST_MAX)
      throw invalid(`scope.${field} must have 1 to ${LIST_MAX} items`, `scope.${field}`);
    if (list.some((item: string) => item === "" || item.length > ITEM_CHARS_MAX))
      throw invalid(`scope.${field} must have items of 1 to ${ITEM_CHARS_MAX} characters`, `scope.${field}`);
  }
  if (lists.length === 0) throw invalid("scope must have at least one list; null is everything", "scope");
  const { conversations, ...rest } = scope;
  if (conversations === undefined) return rest;
  if (!conversations.every(isUuid))
    throw invalid("scope.conversations must have ids of conversations", "scope.conversations");
  return { ...rest, conversations: conversations.map((id) => id.toLowerCase()) };
}

export function listTokens(records: Records): TokenInfo[] {
  return records.all("SELECT * FROM tokens ORDER BY created_at DESC, id").map(infoOf);
}

function tokenById(records: Records, id: string): TokenInfo {
  const row = records.get("SELECT * FROM tokens WHERE id = ?", id);
  if (row === undefined) throw new ColloquyError("NOT_FOUND", `There is no token ${id.slice(0, 64)}`);
  return infoOf(row);
}

/** Everything that was signed in with it ends too. Revoking it again changes nothing. */
export function revokeToken({ records, clock }: Keeper, id: string, by: string): TokenInfo {
  return records.write(() => {
    const sql = "UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
    if (records.run(sql, clock(), id) > 0) note(records, clock(), "token-revoked", { user: by, details: id });
    return tokenById(records, id);
  });
}

/** The id of the token with this secret, valid or not. */
export function tokenOfSecret(records: Records, secret: string): string | undefined {
  const row = records.get("SELECT id FROM tokens WHERE hash = ?", hashOf(secret));
  return row === undefined ? undefined : String(row.id);
}

function infoOf(row: Row): TokenInfo {
  const time = (value: unknown): string | null => (typeof value === "number" ? isoTime(value) : null);
  return {
    id: String(row.id),
    name: String(row.name),
    user: String(row.user),
    permission: row.permission as Permission,
    scope: scopeIn(row),
    createdAt: isoTime(Number(row.created_at)),
    expiresAt: time(row.expires_at),
    lastUsedAt: time(row.last_used_at),
    revokedAt: time(row.revoked_at),
  };
}
