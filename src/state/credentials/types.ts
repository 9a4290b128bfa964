/** The credentials of an agent as plain values. A profile is one credential for a model provider. */

export const KINDS = ["api-key", "oauth", "token", "aws-sdk"] as const;
export type CredentialKind = (typeof KINDS)[number];

export const FAILURES = ["rate-limit", "auth", "billing", "network"] as const;
export type FailureKind = (typeof FAILURES)[number];

/** A value that only the key with this id opens. */
export interface Sealed {
  readonly key: string;
  /** Whose it is; part of the seal. */
  readonly agent?: string;
  readonly iv: string;
  readonly data: string;
}

/** Where a secret is. A bare text is the secret itself, as other programs write it; it is sealed at the next write. */
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

/** How a profile has fared. Kept apart from what it holds, because it changes with every call of a model. */
export interface Usage {
  readonly lastUsed?: number;
  readonly lastFailed?: number;
  readonly lastFailure?: FailureKind;
  /** In a row; a success sets it back. */
  readonly failureCount?: number;
  /** Those of them that were about money. */
  readonly billingCount?: number;
  readonly cooldownUntil?: number;
  /** How often a refresh of the token was begun: who waited sees that somebody was at it meanwhile. */
  readonly refreshes?: number;
  /** A refresh began and its end is not known. */
  readonly refreshing?: boolean;
  /** The last one failed; whoever waited for it fails with it, and does not try the same token again. */
  readonly refreshFailed?: boolean;
}

export interface Profile {
  readonly id: string;
  readonly provider: string;
  readonly credential: Credential;
  readonly createdAt?: number;
  readonly email?: string;
  /** Members that this version does not know, carried along. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** All of the file, in the order in which it stands there. */
export interface ProfileSet {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly usage: ReadonlyMap<string, Usage>;
  readonly order: ReadonlyMap<string, readonly string[]>;
  /** What stands in the place of a profile and is none. Kept, and told. */
  readonly unreadable: ReadonlyMap<string, unknown>;
  readonly rest: Readonly<Record<string, unknown>>;
}

export type SourceType = "env" | "file" | "command" | "sealed" | "plain" | "none";

/** A profile as it may be shown to anybody. */
export interface ProfileView extends Usage {
  readonly id: string;
  readonly provider: string;
  readonly kind: CredentialKind;
  /** Profiles of OpenClaw are read where they are, and never changed. */
  readonly origin: "colloquy" | "openclaw";
  /** Name of the variable, path of the file, or the program; never what it gives. */
  readonly source: { readonly type: SourceType; readonly name: string | null };
  /** At most the last four characters. */
  readonly masked: string | null;
  /** Why the secret cannot be had. Not asked of commands, which a listing does not run. */
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

/** What a refresh gives. A refresh token that is left out stays as it was. */
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
   * An earlier refresh with this token began and did not come to an end, because its process died. Whether the
   * provider has seen the token is not known.
   */
  readonly interrupted: boolean;
}

export type Refresher = (request: RefreshRequest) => Promise<FreshTokens>;

/** A secret that is to be kept: the value itself, which is sealed, or where it is. */
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
  /** Of all kinds but `aws-sdk`. */
  readonly secret?: SecretInput;
  readonly refreshToken?: SecretInput;
  readonly expiresAt?: number;
  readonly email?: string;
  /** Put it in the place of the one that has this name. */
  readonly replace?: boolean;
}
