/** Who asks, and what they may do. The only place that decides it. */
import { ColloquyError } from "../../errors.ts";
import type { Permission, Scope } from "../wire/auth.ts";

/** Somebody who has signed in. Everything here comes from the records of the gateway, nothing from the token itself. */
export interface Principal {
  readonly user: string;
  readonly permission: Permission;
  readonly scope: Scope | null;
  /** The token or sign-in, which can be revoked. */
  readonly tokenId: string;
  /** The token that a sign-in was made with, or else itself. Limits count by it: a token can sign in many times. */
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a scope is compared with. */
export interface ScopedConversation {
  readonly id: string;
  readonly key: string | null;
  readonly channel: string | null;
}

/** The user that every gateway has: the person whose state folder it is. */
export const OWNER = "owner";

export const PERMISSIONS: readonly Permission[] = ["read", "write", "admin"];

const RANK: Readonly<Record<Permission, number>> = { read: 1, write: 2, admin: 3 };

export function assertPermission({ permission }: Principal, needed: Permission): void {
  if (RANK[permission] >= RANK[needed]) return;
  throw new ColloquyError("FORBIDDEN", `This needs the permission ${needed}; yours is ${permission}`);
}

export function lesser(one: Permission, other: Permission): Permission {
  return RANK[one] < RANK[other] ? one : other;
}

export function isInScope(scope: Scope | null, { id, key, channel }: ScopedConversation): boolean {
  if (scope === null) return true;
  const { channels, keys, conversations } = scope;
  return (
    (channels === undefined || (channel !== null && channels.includes(channel))) &&
    (keys === undefined || (key !== null && keys.some((pattern) => matches(pattern, key)))) &&
    (conversations === undefined || conversations.includes(id))
  );
}

function matches(pattern: string, key: string): boolean {
  return pattern.endsWith("*") ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}
