/** Checks of a secret that need no provider. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../../util/time.ts";
import type { Environment } from "../../folder.ts";

/** How keys of well-known providers start. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  anthropic: /^sk-ant-/,
  openai: /^sk-/,
  openrouter: /^sk-or-/,
  google: /^(AIza|AQ\.)/,
  groq: /^gsk_/,
  xai: /^xai-/,
};

const SHORT = 8;

/** Why no request header could carry the secret, so that the provider would never see it. */
export function brokenForm(value: string): string | undefined {
  if (/\s/.test(value)) return "it contains spaces or line breaks, so it is more than the secret";
  if (/[^\x21-\x7e]/.test(value)) return "it contains characters that no request can carry";
  return undefined;
}

export function doubts(provider: string, kind: string, value: string): string[] {
  const beginning = Object.hasOwn(BEGINNINGS, provider) ? BEGINNINGS[provider] : undefined;
  return [
    ...(value.length < SHORT ? [`It has only ${value.length} characters`] : []),
    ...(kind === "api-key" && beginning?.test(value) === false
      ? [`It does not look like a key of ${provider}`]
      : []),
  ];
}

export function expired(expiresAt: number | undefined, now: number): string | undefined {
  if (expiresAt === undefined || expiresAt > now) return undefined;
  return `it expired at ${isoTime(Math.trunc(expiresAt))}`;
}

/** Lists of variables. The AWS SDK finds credentials when all variables of one list are set. */
export const AWS_VARIABLES: readonly (readonly string[])[] = [
  ["AWS_BEARER_TOKEN_BEDROCK"],
  ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  ["AWS_PROFILE"],
  ["AWS_WEB_IDENTITY_TOKEN_FILE"],
  ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"],
  ["AWS_CONTAINER_CREDENTIALS_FULL_URI"],
];

/** Whether the AWS SDK would find credentials, as far as can be seen without it. */
export function awsCredentials(env: Environment): boolean {
  const own = (name: string): string | undefined => (Object.hasOwn(env, name) ? env[name] : undefined);
  if (AWS_VARIABLES.some((names) => names.every((name) => own(name)))) return true;
  const home = own("HOME") ?? own("USERPROFILE");
  const files = [own("AWS_SHARED_CREDENTIALS_FILE"), own("AWS_CONFIG_FILE")];
  if (home) files.push(join(home, ".aws", "credentials"), join(home, ".aws", "config"));
  return files.some((file) => file !== undefined && file !== "" && existsSync(file));
}
