/** Parse one profile of the file. An invalid one is `undefined`; the caller keeps and reports it. */
import { isNonNegative, isPlainObject } from "../../../util/json.ts";
import { makeCredential } from "../credential.ts";
import {
  type Credential,
  FAILURES,
  KINDS,
  type Profile,
  type Sealed,
  type SecretRef,
  type Usage,
} from "../types.ts";
import { isProfileId, isVariable } from "./names.ts";

export function parseProfile(id: string, value: unknown): Profile | undefined {
  if (!isProfileId(id) || !isPlainObject(value)) return undefined;
  const { provider, credential, createdAt, email, ...rest } = value;
  const parsed = parseCredential(credential);
  if (parsed === undefined || typeof provider !== "string" || !id.startsWith(`${provider}:`))
    return undefined;
  return {
    id,
    provider,
    credential: parsed,
    ...(isNonNegative(createdAt) ? { createdAt } : {}),
    ...(typeof email === "string" ? { email } : {}),
    ...(Object.keys(rest).length > 0 ? { rest } : {}),
  };
}

const MAIN_MEMBERS = { "api-key": "apiKey", oauth: "accessToken", token: "token", "aws-sdk": "" } as const;

function parseCredential(value: unknown): Credential | undefined {
  if (!isPlainObject(value)) return undefined;
  const type = KINDS.find((kind) => kind === value.type);
  if (type === undefined) return undefined;
  return makeCredential(type, {
    secret: parseRef(value[MAIN_MEMBERS[type]]),
    refreshToken: parseRef(value.refreshToken),
    expiresAt: isNonNegative(value.expiresAt) ? value.expiresAt : undefined,
  });
}

function parseRef(value: unknown): SecretRef | undefined {
  if (typeof value === "string") return value;
  if (!isPlainObject(value)) return undefined;
  if (isVariable(value.env)) return { env: value.env };
  if (typeof value.file === "string") return { file: value.file };
  if (isTexts(value.command) && value.command.length > 0) return { command: value.command };
  return isSealed(value.sealed) ? { sealed: value.sealed } : undefined;
}

function isSealed(value: unknown): value is Sealed {
  return (
    isPlainObject(value) &&
    typeof value.key === "string" &&
    (value.agent === undefined || typeof value.agent === "string") &&
    typeof value.iv === "string" &&
    typeof value.data === "string"
  );
}

const TIMES = ["lastUsed", "lastFailed", "cooldownUntil"] as const;
const COUNTS = ["failureCount", "billingCount", "refreshes"] as const;

/** Each field separately: an invalid one is dropped, and the others stay. */
function parseUsage(value: unknown): Usage {
  if (!isPlainObject(value)) return {};
  const numbers = [...TIMES, ...COUNTS].flatMap((name) =>
    isNonNegative(value[name]) ? [[name, value[name]]] : [],
  );
  const failure = FAILURES.find((kind) => kind === value.lastFailure);
  return {
    ...Object.fromEntries(numbers),
    ...(failure === undefined ? {} : { lastFailure: failure }),
    ...(value.refreshing === true ? { refreshing: true } : {}),
    ...(value.refreshFailed === true ? { refreshFailed: true } : {}),
  };
}

/** Ids in order of preference, by provider. */
export function parseOrder(value: unknown): Map<string, readonly string[]> {
  if (!isPlainObject(value)) return new Map();
  return new Map(Object.entries(value).flatMap(([provider, ids]) => (isTexts(ids) ? [[provider, ids]] : [])));
}

/** The usage of each profile, by id. */
export function parseUsages(value: unknown): Map<string, Usage> {
  if (!isPlainObject(value)) return new Map();
  return new Map(Object.entries(value).map(([id, usage]) => [id, parseUsage(usage)]));
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
