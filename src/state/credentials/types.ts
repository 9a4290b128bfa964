/** The credentials of an agent as plain values. A profile is one credential for a model provider. */

export const KINDS = ["api-key", "oauth", "token", "aws-sdk"] as const;
export type CredentialKind = (typeof KINDS)[number];

export const FAILURES = ["rate-limit", "auth", "billing", "network"] as const;
export type FailureKind = (typeof FAILURES)[number];

/** A value that only the key with this id decrypts. */
export interface Sealed {
  readonly key: string;
  /** The agent it belongs to; authenticated with the value. */
  readonly agent?: string;
  readonly iv: string;
  readonly data: string;
}

/** Where a secret is. A plain string is the secret itself, as other programs write it; the next write seals it. */
export type SecretRef =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] }
  | { readonly sealed: Sealed };

export type Credential =
  | { readonly type: "api-key"; readonly apiKey: SecretRef }
  | {
      readonly type: "oauth";
      readonly accessToken: SecretRef;
      readonly refreshToken?: SecretRef;
      /** Milliseconds since 1970. */
      readonly expiresAt?: number;
    }
  | { readonly type: "token"; readonly token: SecretRef; readonly expiresAt?: number }
  | { readonly type: "aws-sdk" };

/** The usage of a profile. Separate from its content, because it changes with every model call. */
export interface Usage {
  readonly lastUsed?: number;
  readonly lastFailed?: number;
  readonly lastFailure?: FailureKind;
  /** In a row; a success resets it. */
  readonly failureCount?: number;
  /** How many of them were billing failures. */
  readonly billingCount?: number;
  readonly cooldownUntil?: number;
  /** How many refreshes were started: a waiter sees that another process refreshed in the meantime. */
  readonly refreshes?: number;
  /** A refresh started and has not ended. */
  readonly refreshing?: boolean;
  /** The last refresh failed. Its waiters fail too and do not try the same token again. */
  readonly refreshFailed?: boolean;
}

export interface Profile {
  readonly id: string;
  readonly provider: string;
  readonly credential: Credential;
  readonly createdAt?: number;
  readonly email?: string;
  /** Properties that this version does not know, kept unchanged. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** The content of the file, in its order. */
export interface ProfileSet {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly usage: ReadonlyMap<string, Usage>;
  readonly order: ReadonlyMap<string, readonly string[]>;
  /** Entries that are not valid profiles. Kept and reported. */
  readonly unreadable: ReadonlyMap<string, unknown>;
  readonly rest: Readonly<Record<string, unknown>>;
}

export type SourceType = "env" | "file" | "command" | "sealed" | "plain" | "none";

/** A profile that is safe to show. */
export interface ProfileView extends Usage {
  readonly id: string;
  readonly provider: string;
  readonly kind: CredentialKind;
  /** Profiles of OpenClaw are read in place and never changed. */
  readonly origin: "colloquy" | "openclaw";
  /** The variable, file or program; never its content or output. */
  readonly source: { readonly type: SourceType; readonly name: string | null };
  /** At most the last four characters. */
  readonly masked: string | null;
  /** Why the secret is not available. Unknown for commands, which a listing does not run. */
  readonly problem: string | null;
  readonly expiresAt: number | null;
  readonly createdAt: number | null;
  readonly email: string | null;
}

/** A secret ready for use. `value` is not enumerable, so that logging or serialising the object does not show it. */
export interface Resolved {
  readonly profileId: string;
  readonly provider: string;
  readonly kind: CredentialKind;
  readonly expiresAt: number | undefined;
  /** `undefined` for `aws-sdk`: the SDK finds its own. */
  readonly value: string | undefined;
}

export interface TestResult {
  readonly profile: ProfileView;
  readonly ok: boolean;
  readonly problem: string | null;
  readonly warnings: readonly string[];
}

/** The result of a refresh. Without a refresh token the former one stays. */
export interface FreshTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: number;
}

export interface RefreshRequest {
  readonly profileId: string;
  readonly provider: string;
  readonly refreshToken: string;
  /**
   * An earlier refresh with this token did not finish, because its process died. It is not known whether the
   * provider has seen the token.
   */
  readonly interrupted: boolean;
}

export type Refresher = (request: RefreshRequest) => Promise<FreshTokens>;

/** A secret to store: the value, which is sealed, or a reference to it. */
export type SecretInput =
  | { readonly value: string }
  | { readonly env: string }
  | { readonly file: string }
  | { readonly command: readonly string[] };

export interface NewProfile {
  readonly provider: string;
  /** Default `default`. The id is `<provider>:<name>`. */
  readonly name?: string;
  readonly kind?: CredentialKind;
  /** Required for all kinds except `aws-sdk`. */
  readonly secret?: SecretInput;
  readonly refreshToken?: SecretInput;
  readonly expiresAt?: number;
  readonly email?: string;
  /** Replace the profile of the same name. */
  readonly replace?: boolean;
}
