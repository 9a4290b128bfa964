export { Credentials, openCredentials } from "./credentials.ts";
export type { CredentialsOptions, CredentialsReport } from "./options.ts";
export { providerId } from "./profiles/provider-id.ts";
export { splitCommand } from "./secret/split-command.ts";
export {
  type Credential,
  type CredentialKind,
  FAILURES,
  type FailureKind,
  type FreshTokens,
  KINDS,
  type NewProfile,
  type ProfileView,
  type Refresher,
  type RefreshRequest,
  type Resolved,
  type SecretInput,
  type TestResult,
} from "./types.ts";
