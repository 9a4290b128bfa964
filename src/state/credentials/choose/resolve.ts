/** Resolves a profile or a provider to a usable secret. */
import { ColloquyError } from "../../../errors.ts";
import { rememberSecrets } from "../../../secrets/known-secrets.ts";
import { isoTime } from "../../../util/time.ts";
import { boundTo, expiryOf, mainSecret } from "../credential.ts";
import { expired } from "../secret/check-secret.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { FailureKind, Profile, Resolved } from "../types.ts";
import type { Ranked } from "./order.ts";

/** A token that is about to expire could do so in transit. */
const EARLY_MS = 60_000;

const CAUSES: Readonly<Record<FailureKind, string>> = {
  "rate-limit": "too many requests",
  auth: "a key was not accepted (replace it with colloquy auth add --replace)",
  billing: "an account has no credit left",
  network: "the server did not answer",
};

export interface ResolveParts {
  readonly secrets: Secrets;
  readonly now: number;
  /** Set if the caller passed a refresher. Returns `undefined` when the profile is not ours to refresh. */
  readonly refresh?: (profile: Profile, stale: string | undefined) => Promise<Refreshed | undefined>;
}

interface Refreshed {
  readonly profile: Profile;
  readonly token: string;
}

export async function resolveOne(parts: ResolveParts, profile: Profile): Promise<Resolved> {
  const { id, credential } = profile;
  const main = mainSecret(credential);
  if (main === undefined) return resolved(profile, undefined);
  const secret = await parts.secrets.get(main.ref, boundTo(id, main.member));
  const late = expired(expiryOf(credential), parts.now);
  const usable = secret.ok && late === undefined;
  if (!usable || expired(expiryOf(credential), parts.now + EARLY_MS) !== undefined) {
    const fresh = await renewed(parts, profile, secret.ok ? secret.value : undefined, usable);
    if (fresh !== undefined) return resolved(fresh.profile, fresh.token);
  }
  if (!secret.ok) throw unusable(id, secret.reason);
  if (late !== undefined) throw unusable(id, `${late}; sign in again, or refresh it`);
  return resolved(profile, secret.value);
}

/** A refresh that fails while the former token is valid is tried again with the next call. */
async function renewed(
  { refresh }: ResolveParts,
  profile: Profile,
  stale: string | undefined,
  usable: boolean,
): Promise<Refreshed | undefined> {
  const { credential } = profile;
  if (credential.type !== "oauth" || credential.refreshToken === undefined) return undefined;
  try {
    return await refresh?.(profile, stale);
  } catch (error) {
    if (usable) return undefined;
    throw error;
  }
}

/** The first usable profile. Paused profiles are not tried. */
export async function resolveBest(
  parts: ResolveParts,
  provider: string,
  ranked: readonly Ranked[],
): Promise<Resolved> {
  if (ranked.length === 0) {
    throw new ColloquyError(
      "NOT_FOUND",
      `There is no profile for ${provider}. Add one with colloquy auth add ${provider}`,
      {
        field: "provider",
      },
    );
  }
  const ready = ranked.filter(({ restsUntil }) => restsUntil === undefined);
  if (ready.length === 0) throw allResting(provider, ranked);
  const reasons: string[] = [];
  for (const { profile } of ready) {
    try {
      return await resolveOne(parts, profile);
    } catch (error) {
      if (!(error instanceof ColloquyError)) throw error;
      reasons.push(error.message);
    }
  }
  throw new ColloquyError("UNAUTHORIZED", `No profile for ${provider} can be used. ${reasons.join(". ")}`, {
    field: "provider",
  });
}

function allResting(provider: string, ranked: readonly Ranked[]): ColloquyError {
  const until = ranked[0]?.restsUntil ?? 0;
  const causes = [...new Set(ranked.map(({ usage }) => CAUSES[usage.lastFailure ?? "network"]))].join("; ");
  return new ColloquyError(
    "RATE_LIMITED",
    `All profiles for ${provider} are paused until ${isoTime(Math.trunc(until))}: ${causes}`,
    { field: "provider", details: { until, profiles: ranked.map(({ profile }) => profile.id) } },
  );
}

function unusable(id: string, reason: string): ColloquyError {
  return new ColloquyError("UNAUTHORIZED", `The secret of ${id} cannot be used: ${reason}`, { field: "id" });
}

function resolved({ id, provider, credential }: Profile, value: string | undefined): Resolved {
  if (value !== undefined) rememberSecrets([value]);
  const visible = { profileId: id, provider, kind: credential.type, expiresAt: expiryOf(credential) };
  return Object.defineProperty(visible, "value", { value, enumerable: false }) as Resolved;
}
