/** Whether the secrets of a profile are available. No secret is ever part of an answer. */
import { join } from "node:path";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { boundTo, secretsOf } from "../state/credentials/credential.ts";
import { awsCredentials } from "../state/credentials/secret/check-secret.ts";
import { type KeyFile, parseKeyFile } from "../state/credentials/secret/key-file.ts";
import { KeyRing } from "../state/credentials/secret/key-ring.ts";
import { unseal } from "../state/credentials/secret/sealed.ts";
import { Secrets } from "../state/credentials/secret/secrets.ts";
import { systemKeyStore } from "../state/credentials/secret/system-key-store.ts";
import type { Profile, Sealed, SecretRef } from "../state/credentials/types.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { readPrivate } from "../state/private-file.ts";
import { systemRandom } from "../util/uuid.ts";
import type { Checkup } from "./finding.ts";

export interface SealKeys {
  readonly checkup: Checkup;
  /** `undefined` when the key file cannot be read. */
  readonly keys: KeyFile["keys"] | undefined;
  readonly path: string;
  readonly env: Environment;
  /** For secrets that are not sealed. */
  readonly secrets: Secrets;
}

/** The keys of sealed values, shared by all agents. */
export function readKeys(stateDir: string, env: Environment): SealKeys {
  const path = join(stateLayout(stateDir).credentials, "seal-keys.json");
  const ring = new KeyRing({ stateDir, env, io: systemIo, random: systemRandom, notice: () => {} });
  const secrets = new Secrets(ring, env, systemRandom);
  const checked = `Keys of sealed secrets in ${path}`;
  try {
    const content = readPrivate(systemIo, path);
    const keys = content === undefined ? new Map() : parseKeyFile(content.toString("utf8"), path).keys;
    return { checkup: { checked, findings: [] }, keys, path, env, secrets };
  } catch (error) {
    const { message: what } = asColloquyError(error, `Cannot read ${path}`);
    const fix = { text: "Restore it from a backup. Without one, add the sealed secrets again" };
    const findings = [{ code: "damaged-keys", severity: "error", what, fix, details: { path } } as const];
    return { checkup: { checked, findings }, keys: undefined, path, env, secrets };
  }
}

/** A secret that is not available. */
export interface MissingSecret {
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Names the source and never quotes its content. */
  readonly why: string;
}

export async function missingSecrets(profile: Profile, at: SealKeys): Promise<MissingSecret[]> {
  const { id, credential } = profile;
  if (credential.type === "aws-sdk") {
    const why = "AWS credentials are not set up on this machine";
    return awsCredentials(at.env) ? [] : [{ code: "missing-secret", severity: "warning", why }];
  }
  const missing: MissingSecret[] = [];
  for (const { member, ref } of secretsOf(credential)) {
    const problem = await problemOf(ref, boundTo(id, member), at);
    if (problem !== undefined) missing.push(problem);
  }
  return missing;
}

async function problemOf(ref: SecretRef, bound: string, at: SealKeys): Promise<MissingSecret | undefined> {
  if (typeof ref === "object" && "sealed" in ref) return sealedProblem(ref.sealed, bound, at);
  // Only running the command could check it.
  if (typeof ref === "object" && "command" in ref) return undefined;
  const secret = await at.secrets.get(ref, bound);
  return secret.ok ? undefined : { code: "missing-secret", severity: "warning", why: secret.reason };
}

function sealedProblem(
  sealed: Sealed,
  bound: string,
  { keys, path, env }: SealKeys,
): MissingSecret | undefined {
  // Reported once for the key file, not for each profile.
  if (keys === undefined) return undefined;
  const place = keys.get(sealed.key);
  if (place === undefined) {
    return { code: "missing-key", severity: "error", why: `it is sealed, and its key is not in ${path}` };
  }
  if ("store" in place) {
    if (systemKeyStore(env)?.name === place.store) return undefined;
    const why = `its key is in ${place.store}, which is not available in this session`;
    return { code: "missing-key", severity: "warning", why };
  }
  const key = { id: sealed.key, bytes: Buffer.from(place.key, "base64") };
  if (unseal(sealed, key, bound) !== undefined) return undefined;
  return { code: "damaged-secret", severity: "error", why: "its sealed value is damaged" };
}
