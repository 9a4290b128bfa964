/**
 * OpenClaw's `auth-profiles.json`, read in place and never written.
 *
 * Tolerant: an unknown kind of profile is skipped and reported, and so is a
 * file that cannot be read.
 */
import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { isPlainObject } from "../../../util/json.ts";
import { readPrivate } from "../../private-file.ts";
import { makeCredential } from "../credential.ts";
import { parseSecretJson } from "../secret/secret-json.ts";
import {
  type Credential,
  KINDS,
  type Profile,
  type ProfileSet,
  type SecretRef,
  type Usage,
} from "../types.ts";
import { isProfileId, isVariable } from "./names.ts";
import { parseOrder, parseUsages } from "./parse-profile.ts";
import { NO_PROFILES } from "./profiles-file.ts";
import { providerId } from "./provider-id.ts";

export interface Adopted {
  readonly set: ProfileSet;
  readonly problems: readonly string[];
}

const NOTHING: Adopted = { set: NO_PROFILES, problems: [] };
const NAME = "auth-profiles.json";

/** Where the versions of OpenClaw keep it, below its state folder. */
export function adoptProfiles(io: FileIo, folder: string | undefined, agentId: string): Adopted {
  if (folder === undefined) return NOTHING;
  const agent = join(folder, "agents", agentId);
  const path = [join(agent, "agent", NAME), join(agent, "auth", NAME), join(agent, NAME)].find(
    (candidate) => io.stat(candidate)?.isFolder === false,
  );
  return path === undefined ? NOTHING : readAdopted(io, path);
}

function readAdopted(io: FileIo, path: string): Adopted {
  let content: Buffer | undefined;
  try {
    content = readPrivate(io, path);
  } catch (error) {
    return { set: NO_PROFILES, problems: [(error as Error).message] };
  }
  if (content === undefined) return NOTHING;
  const parsed = parseSecretJson(content.toString("utf8"));
  if (!("value" in parsed)) {
    const problem = `${path} is damaged in line ${parsed.line}, column ${parsed.column}: its profiles are not used`;
    return { set: NO_PROFILES, problems: [problem] };
  }
  return fromOpenClaw(parsed.value, path);
}

function fromOpenClaw(value: unknown, path: string): Adopted {
  if (!isPlainObject(value) || !isPlainObject(value.profiles)) {
    return { set: NO_PROFILES, problems: [`${path} contains no profiles of OpenClaw`] };
  }
  const profiles = new Map<string, Profile>();
  let unknown = 0;
  for (const [id, entry] of Object.entries(value.profiles)) {
    const profile = profileOf(id, entry);
    if (profile === undefined) unknown++;
    else profiles.set(id, profile);
  }
  const problems = unknown === 0 ? [] : [`${path}: ${unknown} of its profiles are of an unknown kind`];
  const set = { ...NO_PROFILES, profiles, usage: usageOf(value.usageStats), order: parseOrder(value.order) };
  return { set, problems };
}

function profileOf(id: string, entry: unknown): Profile | undefined {
  if (!isProfileId(id) || !isPlainObject(entry)) return undefined;
  const provider = typeof entry.provider === "string" ? providerId(entry.provider) : id.split(":", 1)[0];
  const credential = credentialOf(entry);
  if (credential === undefined || provider === undefined) return undefined;
  return { id, provider, credential, ...(typeof entry.email === "string" ? { email: entry.email } : {}) };
}

function credentialOf(entry: Readonly<Record<string, unknown>>): Credential | undefined {
  const { type, key, keyRef, token, tokenRef, expires } = entry;
  const kind = KINDS.find((known) => known === (type === "api_key" ? "api-key" : type));
  if (kind === undefined) return undefined;
  const secrets = {
    "api-key": refOf(key ?? entry.apiKey, keyRef),
    token: refOf(token, tokenRef),
    oauth: refOf(entry.access ?? entry.accessToken, undefined),
    "aws-sdk": undefined,
  };
  return makeCredential(kind, {
    secret: secrets[kind],
    refreshToken: refOf(entry.refresh ?? entry.refreshToken, undefined),
    expiresAt: typeof expires === "number" ? expires : undefined,
  });
}

const VARIABLE = /^\$\{([A-Z_][A-Z0-9_]*)\}$/;

/** The secret itself, `${VARIABLE}`, or a reference to a variable. */
function refOf(value: unknown, reference: unknown): SecretRef | undefined {
  if (typeof value === "string" && value !== "") {
    const variable = VARIABLE.exec(value)?.[1];
    return variable === undefined ? value : { env: variable };
  }
  if (isPlainObject(reference) && reference.source === "env" && isVariable(reference.id))
    return { env: reference.id };
  return undefined;
}

/** Their usage in our terms. */
function usageOf(value: unknown): Map<string, Usage> {
  if (!isPlainObject(value)) return new Map();
  const usages = Object.entries(value).map(([id, entry]) => {
    const { errorCount, disabledUntil, ...rest } = isPlainObject(entry) ? entry : {};
    const cooldownUntil = Math.max(Number(rest.cooldownUntil) || 0, Number(disabledUntil) || 0);
    return [id, { ...rest, failureCount: errorCount, cooldownUntil: cooldownUntil || undefined }];
  });
  return parseUsages(Object.fromEntries(usages));
}
