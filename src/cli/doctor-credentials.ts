/**
 * The credentials of one agent, read and not used: no command is run, no key
 * store is asked, no file is set aside or closed to others.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { systemIo } from "../disk/file-io.ts";
import { asColloquyError } from "../errors.ts";
import { AllProfiles } from "../state/credentials/profiles/all-profiles.ts";
import { adoptProfiles } from "../state/credentials/profiles/openclaw.ts";
import { NO_PROFILES, parseProfiles } from "../state/credentials/profiles/profiles-file.ts";
import { readPrivate } from "../state/credentials/secret/private-file.ts";
import { expiryOf } from "../state/credentials/secret/secret-members.ts";
import type { Profile, ProfileSet } from "../state/credentials/types.ts";
import { type Environment, stateLayout } from "../state/folder.ts";
import { isoTime } from "../util/time.ts";
import type { Checkup, DoctorFinding } from "./doctor-checks.ts";
import { type KeysAtHand, lookFor } from "./doctor-secrets.ts";
import { nextCommand } from "./invocation.ts";
import { counted } from "./view/conversation-view.ts";

export interface CredentialsVisit {
  readonly stateDir: string;
  readonly agentId: string;
  readonly env: Environment;
  /** The state folder of OpenClaw, if its profiles are used too. */
  readonly adoptFrom: string | undefined;
  readonly keys: KeysAtHand;
  readonly values: ReadonlyMap<string, string>;
  readonly now: number;
}

export interface CheckedCredentials {
  readonly checkup: Checkup;
  readonly profiles: number;
  /** That have a profile; `undefined` when it is not known which. */
  readonly providers: readonly string[] | undefined;
  readonly file: string;
}

export async function checkCredentials(visit: CredentialsVisit): Promise<CheckedCredentials> {
  const { stateDir, agentId, adoptFrom } = visit;
  const file = join(stateLayout(stateDir).agent(agentId).auth, "profiles.json");
  const own = ownProfiles(file, visit);
  const adopted = adoptProfiles(systemIo, adoptFrom, agentId);
  const all = new AllProfiles("set" in own ? own.set : NO_PROFILES, adopted);
  const findings = [
    ...("set" in own ? [] : [own]),
    ...all.problems(file).map(unreadable),
    ...adoptedProfiles(adopted.set.profiles.size, adoptFrom),
  ];
  for (const profile of all.profiles.values()) findings.push(...(await profileFindings(visit, all, profile)));
  const checked = `Credentials of agent ${agentId}, ${counted(all.profiles.size, "profile")}`;
  const providers = [...new Set([...all.profiles.values()].map(({ provider }) => provider))];
  return {
    checkup: { checked, findings },
    profiles: all.profiles.size,
    providers: "set" in own ? providers : undefined,
    file,
  };
}

function ownProfiles(
  file: string,
  { values }: CredentialsVisit,
): { readonly set: ProfileSet } | DoctorFinding {
  const again = `or begin anew: ${nextCommand("auth add PROVIDER", values)}`;
  try {
    const content = readPrivate(systemIo, file);
    if (content === undefined) return setAside(file, again) ?? { set: NO_PROFILES };
    const set = parseProfiles(content.toString("utf8"), file);
    if (!("line" in set)) return { set };
    const what = `${file} is damaged in line ${set.line}, column ${set.column}`;
    return damaged(what, `Repair it by hand or from a backup before the next use sets it aside, ${again}`);
  } catch (error) {
    const { message } = asColloquyError(error, `Cannot read ${file}`);
    return damaged(message, `Put right what it says, ${again}`);
  }
}

/** Where there is none, it may have been set aside: that is no beginning. */
function setAside(file: string, again: string): DoctorFinding | undefined {
  const folder = join(file, "..");
  if (!existsSync(folder)) return undefined;
  const names = readdirSync(folder).filter((name) => name.startsWith("profiles.json.damaged-"));
  const latest = names.sort().at(-1);
  if (latest === undefined) return undefined;
  const what = `${file} was damaged and is kept as ${join(folder, latest)}`;
  return damaged(what, `Repair it and give it its name back, ${again}`);
}

function damaged(what: string, fix: string): DoctorFinding {
  return { code: "damaged-profiles", severity: "error", what, fix };
}

function unreadable(what: string): DoctorFinding {
  const fix = "Look at the file: what cannot be read is kept, and not used";
  return { code: "unreadable-profiles", severity: "warning", what, fix };
}

function adoptedProfiles(count: number, folder: string | undefined): DoctorFinding[] {
  if (count === 0) return [];
  const what = `${counted(count, "profile")} of OpenClaw in ${folder} ${count === 1 ? "is" : "are"} used too`;
  return [{ code: "adopted-profiles", severity: "note", what, fix: "Nothing to do: they are only read" }];
}

async function profileFindings(
  visit: CredentialsVisit,
  all: AllProfiles,
  profile: Profile,
): Promise<DoctorFinding[]> {
  const { agentId, now } = visit;
  const named = `Profile ${profile.id} of agent ${agentId}`;
  const elsewhere = all.originOf(profile.id) === "openclaw";
  const fix = elsewhere ? "It belongs to OpenClaw: put it right there" : addAgain(visit, profile);
  const lacks = (await lookFor(profile, visit.keys)).map(({ code, severity, why }) => {
    return { code, severity, what: `${named}: ${why}`, fix } as const;
  });
  const until = all.usage.get(profile.id)?.cooldownUntil ?? 0;
  return [...lacks, ...expired(profile, named, now, fix), ...resting(named, until, now)];
}

function addAgain({ agentId, values }: CredentialsVisit, { id, provider }: Profile): string {
  const name = id.slice(id.indexOf(":") + 1);
  const agent = agentId === "main" ? "" : ` --agent ${agentId}`;
  const command = nextCommand(`auth add ${provider} ${name} --replace${agent}`, values);
  return `Put it where it is looked for, or add it again: ${command}`;
}

function expired({ credential }: Profile, named: string, now: number, fix: string): DoctorFinding[] {
  const at = expiryOf(credential);
  if (at === undefined || at > now) return [];
  const what = `${named} expired at ${isoTime(Math.trunc(at))}`;
  const renewable = credential.type === "oauth" && credential.refreshToken !== undefined;
  if (!renewable) return [{ code: "expired-token", severity: "warning", what, fix }];
  return [{ code: "expired-token", severity: "note", what, fix: "Nothing to do: the next use refreshes it" }];
}

function resting(named: string, until: number, now: number): DoctorFinding[] {
  if (until <= now) return [];
  const what = `${named} rests until ${isoTime(Math.trunc(until))} after a failure`;
  return [
    { code: "resting-profile", severity: "note", what, fix: "Nothing to do: others are used meanwhile" },
  ];
}
