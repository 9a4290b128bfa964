/**
 * One refresh of a token at a time, across processes.
 *
 * Many providers accept a refresh token once and treat a second use as theft.
 * So a caller takes the lock of the profile and reads it again: a token that
 * changed in the meantime is used, and a refresh that failed in the meantime is
 * not repeated with the same token. The lock is held until the refresh ends,
 * however long it takes, because an abandoned refresh may still be running;
 * waiters give up after a minute. The kernel releases the lock of a dead
 * process. It is then unknown whether the provider has seen the token, and the
 * next refresher is told so.
 */

import { join } from "node:path";
import type { FileIo } from "../../../disk/file-io.ts";
import { withLock } from "../../../disk/with-lock.ts";
import { ColloquyError } from "../../../errors.ts";
import { maskSecretsIn } from "../../../secrets/mask.ts";
import { sha256Hex } from "../../../util/sha256.ts";
import type { Clock } from "../../../util/time.ts";
import { boundTo } from "../credential.ts";
import { noSuchProfile } from "../profiles/names.ts";
import { withUsage } from "../profiles/profile-edits.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import { expired } from "../secret/check-secret.ts";
import type { Secrets } from "../secret/secrets.ts";
import type { Credential, FreshTokens, Profile, Refresher, SecretRef, Usage } from "../types.ts";

const WAIT_MS = 60_000;

export interface RefreshParts {
  readonly store: ProfileStore;
  readonly secrets: Secrets;
  readonly io: FileIo;
  readonly folder: string;
  readonly clock: Clock;
}

type OAuth = Extract<Credential, { type: "oauth" }>;

interface Seen {
  readonly profile: Profile;
  readonly credential: OAuth;
  readonly usage: Usage;
  readonly token: string | undefined;
}

/** The access token after the refresh, or the one that another caller got in the meantime. */
export async function refreshToken(
  parts: RefreshParts,
  id: string,
  refresher: Refresher,
  stale: string | undefined,
): Promise<{ readonly profile: Profile; readonly token: string }> {
  const before = await look(parts, id);
  const old = stale ?? before.token;
  const name = sha256Hex(id).slice(0, 16);
  const lock = parts.io.lock(join(parts.folder, `refresh-${name}.lock`));
  try {
    return await withLock(
      lock,
      `The refresh of ${id}`,
      async () => {
        const now = await look(parts, id);
        const fresh = now.token !== old && expired(now.credential.expiresAt, parts.clock()) === undefined;
        if (now.token !== undefined && fresh) return { profile: now.profile, token: now.token };
        if (now.usage.refreshFailed === true && wasUnderWay(before.usage, now.usage)) {
          throw new ColloquyError(
            "UNAUTHORIZED",
            `The refresh of ${id} failed in another call; it is not repeated`,
          );
        }
        return await refreshNow(parts, now, refresher);
      },
      WAIT_MS,
    );
  } finally {
    lock.close();
  }
}

/** Whether another refresh was started or was running between the two readings. */
function wasUnderWay(before: Usage, now: Usage): boolean {
  return before.refreshing === true || before.refreshes !== now.refreshes;
}

async function look({ store, secrets }: RefreshParts, id: string): Promise<Seen> {
  const { profiles, usage } = await store.read();
  const profile = profiles.get(id);
  if (profile === undefined) throw noSuchProfile(id, profiles.keys());
  const { credential } = profile;
  if (credential.type !== "oauth")
    throw new ColloquyError("VALIDATION_ERROR", `${id} cannot be refreshed: it is not an oauth profile`, {
      field: "id",
    });
  const token = await secrets.get(credential.accessToken, boundTo(id, "accessToken"));
  return { profile, credential, usage: usage.get(id) ?? {}, token: token.ok ? token.value : undefined };
}

async function refreshNow(
  parts: RefreshParts,
  { profile, credential, usage, token }: Seen,
  refresher: Refresher,
): Promise<{ profile: Profile; token: string }> {
  const { id, provider } = profile;
  const refreshToken = await ownToken(parts, id, credential.refreshToken);
  // Written first. It also proves that the answer can be stored: a full disk shows before the token is spent.
  await note(parts, id, ({ refreshFailed: _, ...now }) => ({
    ...now,
    refreshes: (now.refreshes ?? 0) + 1,
    refreshing: true,
  }));
  let fresh: FreshTokens;
  try {
    fresh = checkFresh(
      await refresher({ profileId: id, provider, refreshToken, interrupted: usage.refreshing === true }),
    );
  } catch (error) {
    await note(parts, id, ({ refreshing: _, ...now }) => ({ ...now, refreshFailed: true }));
    throw failure(error, id, [refreshToken, token]);
  }
  return { profile: await keep(parts, id, fresh), token: fresh.accessToken };
}

/** A token that is stored elsewhere is refreshed there: two owners would invalidate each other's tokens. */
async function ownToken({ secrets }: RefreshParts, id: string, ref: SecretRef | undefined): Promise<string> {
  if (ref === undefined) throw new ColloquyError("UNAUTHORIZED", `${id} has no refresh token: sign in again`);
  if (typeof ref !== "string" && !("sealed" in ref)) {
    throw new ColloquyError(
      "NOT_SUPPORTED",
      `The refresh token of ${id} is stored elsewhere: refresh it there`,
    );
  }
  const secret = await secrets.get(ref, boundTo(id, "refreshToken"));
  if (secret.ok) return secret.value;
  throw new ColloquyError("UNAUTHORIZED", `The refresh token of ${id} is not available: ${secret.reason}`);
}

function checkFresh(fresh: FreshTokens): FreshTokens {
  const { accessToken, refreshToken, expiresAt } = fresh;
  const texts = [accessToken, refreshToken ?? "-"].every((text) => typeof text === "string" && text !== "");
  if (texts && (expiresAt === undefined || Number.isFinite(expiresAt))) return fresh;
  throw new ColloquyError("NETWORK_ERROR", "the response contains no usable token");
}

/** Without `cause`: anything attached to an error is printed sooner or later. */
function failure(error: unknown, id: string, secrets: readonly (string | undefined)[]): ColloquyError {
  const code = error instanceof ColloquyError ? error.code : "UNAUTHORIZED";
  const reason = maskSecretsIn(error instanceof Error ? error.message : String(error), secrets);
  return new ColloquyError(code, `Cannot refresh ${id}: ${reason}`);
}

async function note({ store }: RefreshParts, id: string, change: (usage: Usage) => Usage): Promise<void> {
  await store.change((set) => ({ set: withUsage(set, id, change), result: undefined }));
}

async function keep({ store, secrets }: RefreshParts, id: string, fresh: FreshTokens): Promise<Profile> {
  return store.change(async (set) => {
    const profile = set.profiles.get(id);
    // Removed by the user in the meantime: it must not come back.
    if (profile?.credential.type !== "oauth") throw noSuchProfile(id, set.profiles.keys());
    const { expiresAt: _, ...old } = profile.credential;
    const credential: OAuth = {
      ...old,
      accessToken: await secrets.seal(fresh.accessToken, boundTo(id, "accessToken")),
      ...(fresh.refreshToken === undefined
        ? {}
        : { refreshToken: await secrets.seal(fresh.refreshToken, boundTo(id, "refreshToken")) }),
      ...(fresh.expiresAt === undefined ? {} : { expiresAt: fresh.expiresAt }),
    };
    const refreshed = { ...profile, credential };
    const profiles = new Map([...set.profiles, [id, refreshed]]);
    const ended = withUsage(set, id, ({ refreshing: _r, refreshFailed: _f, ...usage }) => usage);
    return { set: { ...ended, profiles }, result: refreshed };
  });
}
