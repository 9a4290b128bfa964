/**
 * The credentials of one agent, without using them: runs no command, queries no
 * key store, moves no file and changes no permissions.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { expiryOf } from "../state/credentials/credential.ts";
import { AllProfiles } from "../state/credentials/profiles/all-profiles.ts";
import { adoptProfiles } from "../state/credentials/profiles/openclaw.ts";
import { NO_PROFILES, parseProfiles } from "../state/credentials/profiles/profiles-file.ts";
import type { Profile, ProfileSet, Usage } from "../state/credentials/types.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { readPrivate } from "../state/private-file.ts";
import { isoTime } from "../util/time.ts";
import { type Checkup, type DoctorFinding, type Fix, NOTHING_TO_DO } from "./finding.ts";
import { missingSecrets, type SealKeys } from "./secrets.ts";

export interface CredentialsToCheck {
  readonly stateDir: string;
  readonly agentId: string;
  readonly env: Environment;
  /** The state folder of an OpenClaw whose profiles are used too. */
  readonly adoptFrom: string | undefined;
  readonly keys: SealKeys;
  readonly now: number;
}

export interface CheckedCredentials {
  readonly checkup: Checkup;
  readonly profiles: number;
  /** Those with a profile; `undefined` when the file cannot be read. */
  readonly providers: readonly string[] | undefined;
  readonly file: string;
}

export async function checkCredentials(credentials: CredentialsToCheck): Promise<CheckedCredentials> {
  const { stateDir, agentId, adoptFrom } = credentials;
  const file = join(stateLayout(stateDir).agent(agentId).auth, "profiles.json");
  const own = ownProfiles(file);
  const adopted = adoptProfiles(systemIo, adoptFrom, agentId);
  const all = new AllProfiles("set" in own ? own.set : NO_PROFILES, adopted);
  const findings = [
    ...("set" in own ? [] : [own]),
    ...all.problems(file).map(unreadable),
    ...adoptedProfiles(adopted.set.profiles.size, adoptFrom),
  ];
  for (const profile of all.profiles.values()) {
    findings.push(...(await profileFindings(credentials, all, profile)));
  }
  const checked = `Credentials of agent ${agentId}, ${profileCount(all.profiles.size)}`;
  const providers = [...new Set([...all.profiles.values()].map(({ provider }) => provider))];
  return {
    checkup: { checked, findings },
    profiles: all.profiles.size,
    providers: "set" in own ? providers : undefined,
    file,
  };
}

function profileCount(count: number): string {
  return count === 1 ? "1 profile" : `${count} profiles`;
}

function ownProfiles(file: string): { readonly set: ProfileSet } | DoctorFinding {
  try {
    const content = readPrivate(systemIo, file);
    if (content === undefined) return quarantined(file) ?? { set: NO_PROFILES };
    const set = parseProfiles(content.toString("utf8"), file);
    if (!("line" in set)) return { set };
    const what = `${file} is damaged in line ${set.line}, column ${set.column}`;
    return damaged(file, what, "Repair it by hand or from a backup before its next use sets it aside");
  } catch (error) {
    const { message } = asColloquyError(error, `Cannot read ${file}`);
    return damaged(file, message, "Fix the cause named in the message");
  }
}

/** A missing file may have been set aside: then profiles are lost, not absent. */
function quarantined(file: string): DoctorFinding | undefined {
  const folder = join(file, "..");
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => name.startsWith("profiles.json.damaged-"));
  const latest = names.sort().at(-1);
  if (latest === undefined) return undefined;
  const what = `${file} was damaged and is kept as ${join(folder, latest)}`;
  return damaged(file, what, "Repair it and rename it back");
}

function damaged(file: string, what: string, advice: string): DoctorFinding {
  const fix = { text: `${advice}, or add the profiles again with colloquy auth add` };
  return { code: "damaged-profiles", severity: "error", what, fix, details: { file } };
}

function unreadable(what: string): DoctorFinding {
  const fix = { text: "Check the file: unreadable profiles are kept but not used" };
  return { code: "unreadable-profiles", severity: "warning", what, fix };
}

function adoptedProfiles(count: number, folder: string | undefined): DoctorFinding[] {
  if (count === 0) return [];
  const what = `${profileCount(count)} of OpenClaw in ${folder} ${count === 1 ? "is" : "are"} used too`;
  const fix = { text: `${NOTHING_TO_DO}: they are only read` };
  return [{ code: "adopted-profiles", severity: "note", what, fix, details: { folder, count } }];
}

async function profileFindings(
  credentials: CredentialsToCheck,
  all: AllProfiles,
  profile: Profile,
): Promise<DoctorFinding[]> {
  const { agentId, now, keys } = credentials;
  const named = `Profile ${profile.id} of agent ${agentId}`;
  const elsewhere = all.originOf(profile.id) === "openclaw";
  const fix = elsewhere ? { text: "It belongs to OpenClaw: fix it there" } : addAgain(agentId, profile);
  const missing = (await missingSecrets(profile, keys)).map(({ code, severity, why }) => {
    return { code, severity, what: `${named}: ${why}`, fix } as const;
  });
  const usage = all.usage.get(profile.id) ?? {};
  const details = { agentId, profile: profile.id };
  const findings = [...missing, ...expired(profile, named, now, fix), ...resting(named, usage, now, fix)];
  return findings.map((finding) => ({ ...finding, details }));
}

function addAgain(agentId: string, { id, provider }: Profile): Fix {
  const name = id.slice(id.indexOf(":") + 1);
  const agent = agentId === "main" ? [] : ["--agent", agentId];
  const command = ["auth", "add", provider, name, "--replace", ...agent];
  return { text: "Provide the secret where the profile expects it, or add it again", command };
}

function expired({ credential }: Profile, named: string, now: number, fix: Fix): DoctorFinding[] {
  const at = expiryOf(credential);
  if (at === undefined || at > now) return [];
  const what = `${named} expired at ${isoTime(Math.trunc(at))}`;
  const renewable = credential.type === "oauth" && credential.refreshToken !== undefined;
  if (!renewable) return [{ code: "expired-token", severity: "warning", what, fix }];
  const nothing = { text: `${NOTHING_TO_DO}: the next use refreshes it` };
  return [{ code: "expired-token", severity: "note", what, fix: nothing }];
}

function resting(named: string, usage: Usage, now: number, addAgain: Fix): DoctorFinding[] {
  const { cooldownUntil: until = 0, lastFailure } = usage;
  if (until <= now) return [];
  const refused = lastFailure === "auth";
  const cause = refused ? "because its provider did not accept it" : "after a failure";
  const what = `${named} is paused until ${isoTime(Math.trunc(until))} ${cause}`;
  const fix = refused ? addAgain : { text: `${NOTHING_TO_DO}: it is used again after that` };
  return [{ code: "resting-profile", severity: "note", what, fix }];
}
