/** The keys that a model can be asked with, best first. */
import { ColloquyError } from "../../errors.ts";
import type { Credentials } from "../../state/credentials/credentials.ts";
import type { CredentialKind, Refresher, Resolved } from "../../state/credentials/types.ts";
import type { Environment } from "../../state/folder.ts";
import { CATALOGUE } from "../../state/models/catalogue.ts";
import { isHere } from "../../util/addresses.ts";
import type { Target } from "./target.ts";

/** A key for one request. `value` is not enumerable, so that logging the object does not show it. */
export interface Key {
  /** Unknown for a key of the environment. */
  readonly profileId: string | undefined;
  readonly kind: CredentialKind | "none";
  readonly value: string | undefined;
}

export interface KeySources {
  readonly credentials?: Credentials | undefined;
  /** Only this profile of the primary model's provider. */
  readonly profileId?: string | undefined;
  readonly refresher?: Refresher | undefined;
  readonly env: Environment;
}

/**
 * The usable profiles of a provider, then a key of the environment. Profiles are resolved one at a time, because a
 * failure of the one before changes their order. Throws when there is no key at all.
 */
export async function* keysFor(target: Target, sources: KeySources): AsyncGenerator<Key> {
  const tried = new Set<string>();
  let problem: ColloquyError | undefined;
  for (;;) {
    const next = await nextProfile(target, sources, tried);
    if (next instanceof ColloquyError) problem = next;
    if (next === undefined || next instanceof ColloquyError) break;
    tried.add(next.profileId);
    yield next;
  }
  if (isChosen(target, sources)) {
    if (problem !== undefined && tried.size === 0) throw problem;
    return;
  }
  const other = keyOutside(target, sources.env);
  if (other !== undefined) yield other;
  else if (tried.size === 0) yield noKey(target, problem, sources.credentials !== undefined);
}

function isChosen({ provider }: Target, { profileId }: KeySources): boolean {
  return profileId?.startsWith(`${provider}:`) === true;
}

async function nextProfile(
  target: Target,
  sources: KeySources,
  tried: ReadonlySet<string>,
): Promise<Resolved | ColloquyError | undefined> {
  const { credentials, profileId = "", refresher } = sources;
  if (credentials === undefined) return undefined;
  const options = refresher === undefined ? {} : { refresher };
  const which = isChosen(target, sources) ? profileId : target.provider;
  try {
    const resolved = await credentials.resolve(which, options);
    return tried.has(resolved.profileId) ? undefined : resolved;
  } catch (error) {
    if (!(error instanceof ColloquyError)) throw error;
    if (error.code === "RATE_LIMITED" && tried.size === 0) {
      return (await afterNetworkFailure(credentials, target.provider)) ?? error;
    }
    return error.code === "NOT_FOUND" && which === target.provider ? undefined : error;
  }
}

/** A profile that is paused because a server was down or out of reach may be asked again: nothing is wrong with it. */
async function afterNetworkFailure(
  credentials: Credentials,
  provider: string,
): Promise<Resolved | undefined> {
  const views = (await credentials.list()).filter((view) => view.provider === provider);
  const view = views.find(({ lastFailure }) => lastFailure === "network");
  return view && (await credentials.resolve(view.id));
}

function keyOutside({ provider }: Target, env: Environment): Key | undefined {
  const name = variablesOf(provider).find((one) => env[one]);
  return name === undefined ? undefined : key(name.includes("OAUTH") ? "oauth" : "api-key", env[name]);
}

function variablesOf(provider: string): string[] {
  return (CATALOGUE.get(provider)?.env ?? []).flat().filter((name) => /_(?:KEY|TOKEN)$/.test(name));
}

/** A server on this machine, or one that is not in the catalogue, may not need a key. */
function noKey(target: Target, problem: ColloquyError | undefined, hasProfiles: boolean): Key {
  if (problem !== undefined) throw problem;
  const mayDoWithout = isHere(new URL(target.baseUrl)) || variablesOf(target.provider).length === 0;
  if (!mayDoWithout) throw missing(target, hasProfiles);
  return key("none", undefined);
}

function key(kind: Key["kind"], value: string | undefined): Key {
  return Object.defineProperty({ profileId: undefined, kind }, "value", { value, enumerable: false }) as Key;
}

/** A program that passes no credentials would not see a profile. */
function missing({ provider, name }: Target, hasProfiles: boolean): ColloquyError {
  const [variable] = variablesOf(provider);
  const advice = hasProfiles
    ? `Add one with colloquy auth add ${provider}, or set ${variable}`
    : `Set ${variable}, or pass credentials`;
  return new ColloquyError("UNAUTHORIZED", `There is no key for ${name}. ${advice}`, {
    details: { provider },
  });
}
