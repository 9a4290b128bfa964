/** Who asks, and what they may do. */
import type { Permission, Scope } from "../wire/auth.ts";

/** Somebody who has signed in. Everything here comes from the records of the gateway, nothing from the token itself. */
export interface Principal {
  readonly user: string;
  readonly permission: Permission;
  readonly scope: Scope | null;
  /** The token or sign-in, which can be revoked. */
  readonly tokenId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a scope is compared with. */
export interface ScopedConversation {
  readonly id: string;
  readonly key: string | null;
  readonly channel: string | null;
}
