export { Credentials, openCredentials } from "./credentials.ts";
export type { CredentialsOptions, CredentialsReport } from "./options.ts";
export { providerId } from "./provider-id.ts";
export { splitCommand } from "./split-command.ts";
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
