/** Who may do what, as it travels. Wire types have no code, so that browsers and other programs can share them. */

/** Each one includes those before it. */
export type Permission = "read" | "write" | "admin";

/** What a token is limited to. A conversation must match one of each list that is given. */
export interface Scope {
  /** Names of channels, such as `discord`. */
  readonly channels?: readonly string[];
  /** Session keys, or beginnings of them that end with `*`. */
  readonly keys?: readonly string[];
  /** Ids of conversations. */
  readonly conversations?: readonly string[];
}

/** A token as lists show it: never the secret. */
export interface TokenInfo {
  readonly id: string;
  /** What it is for, in the words of its owner. */
  readonly name: string;
  /** The user that it acts for. */
  readonly user: string;
  readonly permission: Permission;
  readonly scope: Scope | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** A browser or program that has signed in and can renew its access. */
export interface DeviceInfo {
  readonly id: string;
  readonly user: string;
  /** How it signed in: `password`, `token`, `link` or `tailscale`. */
  readonly method: string;
  /** The browser or program, as it named itself. */
  readonly agent: string | null;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

/** Answers `POST /auth/token` and `POST /auth/refresh`. Browsers get the tokens as cookies instead, and `null` here. */
export interface SignedIn {
  readonly user: string;
  readonly permission: Permission;
  readonly scope: Scope | null;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** When the access token ends. */
  readonly expiresAt: string;
}

/** Answers `GET /auth/session`, also for those who have not signed in. */
export interface SessionState {
  readonly signedIn: boolean;
  readonly user: string | null;
  readonly permission: Permission | null;
  readonly scope: Scope | null;
  /** The ways to sign in that this gateway offers. */
  readonly methods: readonly ("token" | "password" | "tailscale")[];
}
