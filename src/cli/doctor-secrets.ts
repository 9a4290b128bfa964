/** Whether the secrets of a profile can be had. None of them is ever part of an answer. */
import { join } from "node:path";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { awsCredentials } from "../state/credentials/secret/check-secret.ts";
import { type KeyFile, parseKeyFile } from "../state/credentials/secret/key-file.ts";
import { KeyRing } from "../state/credentials/secret/key-ring.ts";
import { readPrivate } from "../state/credentials/secret/private-file.ts";
import { unseal } from "../state/credentials/secret/sealed.ts";
import { boundTo, mainSecret } from "../state/credentials/secret/secret-members.ts";
import { Secrets } from "../state/credentials/secret/secrets.ts";
import { systemKeyStore } from "../state/credentials/secret/system-key-store.ts";
import type { Profile, Sealed, SecretRef } from "../state/credentials/types.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { systemRandom } from "../util/uuid.ts";
import type { Checkup } from "./doctor-checks.ts";

export interface KeysAtHand {
  readonly checkup: Checkup;
  /** `undefined` when they cannot be read. */
  readonly keys: KeyFile["keys"] | undefined;
  readonly path: string;
  readonly env: Environment;
  /** For what is not sealed. */
  readonly secrets: Secrets;
}

/** The keys of sealed values, of all agents. */
export function readKeys(stateDir: string, env: Environment): KeysAtHand {
  const path = join(stateLayout(stateDir).credentials, "seal-keys.json");
  const ring = new KeyRing({ stateDir, env, io: systemIo, random: systemRandom, notice: () => {} });
  const secrets = new Secrets(ring, env, systemRandom);
  const checked = `Keys of sealed secrets in ${path}`;
  try {
    const content = readPrivate(systemIo, path);
    const keys = content === undefined ? new Map() : parseKeyFile(content.toString("utf8"), path).keys;
    return { checkup: { checked, findings: [] }, keys, path, env, secrets };
  } catch (error) {
    const { message } = asColloquyError(error, `Cannot read ${path}`);
    const fix = "Put it back from a backup. Without it, add the sealed secrets again";
    const findings = [{ code: "damaged-keys", severity: "error", what: message, fix } as const];
    return { checkup: { checked, findings }, keys: undefined, path, env, secrets };
  }
}

export interface Lack {
  readonly code: string;
  readonly severity: "error" | "warning";
  /** Names the source, and never what it gave. */
  readonly why: string;
}

export async function lookFor(profile: Profile, at: KeysAtHand): Promise<Lack[]> {
  const { id, credential } = profile;
  if (credential.type === "aws-sdk") {
    const why = "AWS credentials are not set up on this machine";
    return awsCredentials(at.env) ? [] : [{ code: "missing-secret", severity: "warning", why }];
  }
  const lacks: Lack[] = [];
  for (const [member, ref] of refsOf(profile)) {
    const lack = await lackOf(ref, boundTo(id, member), at);
    if (lack !== undefined) lacks.push(lack);
  }
  return lacks;
}

function refsOf({ credential }: Profile): (readonly [member: string, ref: SecretRef])[] {
  const main = mainSecret(credential);
  const refs: (readonly [string, SecretRef])[] = main === undefined ? [] : [[main.member, main.ref]];
  if (credential.type === "oauth" && credential.refreshToken !== undefined) {
    refs.push(["refreshToken", credential.refreshToken]);
  }
  return refs;
}

async function lackOf(ref: SecretRef, bound: string, at: KeysAtHand): Promise<Lack | undefined> {
  if (typeof ref === "object" && "sealed" in ref) return lackOfSealed(ref.sealed, bound, at);
  // What a command gives is only known by running it.
  if (typeof ref === "object" && "command" in ref) return undefined;
  const secret = await at.secrets.get(ref, bound);
  return secret.ok ? undefined : { code: "missing-secret", severity: "warning", why: secret.reason };
}

function lackOfSealed(sealed: Sealed, bound: string, { keys, path, env }: KeysAtHand): Lack | undefined {
  // Told once, not for each profile.
  if (keys === undefined) return undefined;
  const place = keys.get(sealed.key);
  if (place === undefined) {
    return { code: "missing-key", severity: "error", why: `it is sealed, and its key is not in ${path}` };
  }
  if ("store" in place) {
    if (systemKeyStore(env)?.name === place.store) return undefined;
    const why = `its key is in ${place.store}, which is not there in this session`;
    return { code: "missing-key", severity: "warning", why };
  }
  const key = { id: sealed.key, bytes: Buffer.from(place.key, "base64") };
  if (unseal(sealed, key, bound) !== undefined) return undefined;
  return { code: "damaged-secret", severity: "error", why: "its sealed value is damaged" };
}
